import { defineSubagent, useInitialData } from '@flue/runtime';
export const s = defineSubagent({ name: 's', description: 'd', agent: () => (useInitialData() ? 'a' : 'b') });
