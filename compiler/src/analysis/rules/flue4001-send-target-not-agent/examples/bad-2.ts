import { init, useModel } from '@flue/runtime';
function Triage() {
  useModel('openai/gpt-5');
}
await init(Triage).dispatch('x'); // expect: FLUE4001 error
