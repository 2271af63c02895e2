import { defineSubagent } from '@flue/runtime';
export const s = defineSubagent({ name: 'flue-general', description: 'd', agent() {} }); // expect: FLUE3302 error
