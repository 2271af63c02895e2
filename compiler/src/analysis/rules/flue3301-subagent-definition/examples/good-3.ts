import { defineSubagent } from '@flue/runtime';
export const s = defineSubagent({ name: 's', description: 'd', agent() {}, compaction: { keepRecentTokens: 0 } });
