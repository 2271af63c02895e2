'use agent';
import { useModel } from '@flue/runtime';
import './setup.js';
export function Agent() {
  useModel('openai/gpt-5');
}
