'use agent';
import { useModel } from '@flue/runtime';
function Local() {
  useModel('openai/gpt-5');
}
export { Local as Name }; // expect: FLUE1112 warning
