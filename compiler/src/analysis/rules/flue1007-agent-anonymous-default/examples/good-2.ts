'use agent';
import { useModel } from '@flue/runtime';
function Triage() {
  useModel('openai/gpt-5');
}
export { Triage as default };
