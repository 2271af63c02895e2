'use agent';
import { useModel } from '@flue/runtime';
export function IssueTriage() {
  useModel('openai/gpt-5');
}
export function IssueTriager() {
  useModel('openai/gpt-5');
}
