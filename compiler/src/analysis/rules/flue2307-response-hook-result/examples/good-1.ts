'use agent';
import { useModel, useResponseStart } from '@flue/runtime';
export function Agent(props) {
  useModel('anthropic/claude-haiku-4-5');
  useResponseStart(() => ({ startedAt: Date.now() }));
}
