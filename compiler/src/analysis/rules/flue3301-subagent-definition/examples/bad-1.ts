import { defineSubagent } from '@flue/runtime';
export const s = defineSubagent({ name: 's', description: '', agent() {} }); // expect: FLUE3301 error
