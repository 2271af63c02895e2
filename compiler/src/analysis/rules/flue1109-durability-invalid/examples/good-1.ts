'use agent';
import { useModel } from '@flue/runtime';
export function Agent() {
  useModel('openai/gpt-5');
}
Agent.durability = process.env.CI ? { timeoutMs: 60_000 } : { timeoutMs: 60 * 60_000 };
