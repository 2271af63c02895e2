'use agent';
import { useModel } from '@flue/runtime';
export function Agent(props) {
  useModel('anthropic/claude-haiku-4-5');
  void fetch('https://example.com'); // expect: FLUE2306 hint
}
