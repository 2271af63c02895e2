import { defineSubagent } from '@flue/runtime';
export const s = defineSubagent({ name: 's', description: 'd', model: 'open-ai/gpt-5', agent() {} }); // expect: FLUE2404 warning
