'use agent';
import { useModel } from '@flue/runtime';
export function IssueTriage() { // expect: FLUE1103 error
  useModel('openai/gpt-5');
}
export function Other() { // expect: FLUE1103 error
  useModel('openai/gpt-5');
}
Other.agentName = 'issue-triage';
