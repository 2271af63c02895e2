'use agent';
import { useModel } from '@flue/runtime';
export function Agent(props) {
  useModel('openai/gpt-5', { compaction: { reserveTokens: -1 } }); // expect: FLUE2401 error
}
