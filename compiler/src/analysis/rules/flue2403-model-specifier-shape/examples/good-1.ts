'use agent';
import { useModel } from '@flue/runtime';
export function Agent(props) {
  useModel('openrouter/meta-llama/llama-4-scout');
}
