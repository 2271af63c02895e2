'use agent';
import { useModel, useSubagent } from '@flue/runtime';
export function Agent(props) {
  useModel('anthropic/claude-haiku-4-5');
  useSubagent({ ...GeneralSubagent, model: 'openai/gpt-5' });
}
