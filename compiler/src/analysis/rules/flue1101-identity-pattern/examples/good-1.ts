'use agent';
import { useModel } from '@flue/runtime';
export function Support_Agent() {
  useModel('openai/gpt-5');
}
Support_Agent.agentName = 'support-agent';
