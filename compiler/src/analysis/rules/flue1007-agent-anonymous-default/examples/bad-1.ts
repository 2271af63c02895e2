'use agent';
import { useModel } from '@flue/runtime';
export default function () { // expect: FLUE1007 error
  useModel('openai/gpt-5');
}
