'use agent';
import { useModel } from '@flue/runtime';
export default function Triage() {
  useModel('openai/gpt-5');
}
