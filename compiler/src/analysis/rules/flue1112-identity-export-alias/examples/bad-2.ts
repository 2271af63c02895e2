'use agent';
import { useModel } from '@flue/runtime';
const impl = () => {
  useModel('openai/gpt-5');
};
export { impl as Support }; // expect: FLUE1112 warning
