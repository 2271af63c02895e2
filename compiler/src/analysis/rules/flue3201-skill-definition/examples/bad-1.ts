import { defineSkill } from '@flue/runtime';
export const s = defineSkill({ name: 'Refunds', description: 'd', instructions: 'x' }); // expect: FLUE3201 error
