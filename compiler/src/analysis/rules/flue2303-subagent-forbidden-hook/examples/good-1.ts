import { defineSubagent, useTool } from '@flue/runtime';
import { t1 } from './tools.ts';
export const s = defineSubagent({
  name: 's',
  description: 'd',
  model: 'openai/gpt-5',
  agent() {
    useTool(t1);
    return 'x';
  },
});
