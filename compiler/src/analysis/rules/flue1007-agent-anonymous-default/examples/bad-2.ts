'use agent';
import { useModel } from '@flue/runtime';
export default () => { // expect: FLUE1007 error
  useModel('openai/gpt-5');
};
