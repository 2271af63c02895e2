'use agent';
import { useModel } from '@flue/runtime';
export function Agent(props) {
  useModel('openai/gpt-5', { compaction: { reserveTokens: 2000, keepRecentTokens: 0 } });
}
