'use agent'; // expect: FLUE1005 error
import { useModel } from '@flue/runtime';
function Agent() {
  useModel('openai/gpt-5');
}
