'use agent';
import { useModel } from '@flue/runtime';
export function Agent(props) {
  useModel('openai/gpt-5', { thinkingLevel: 'high', compaction: false });
}
