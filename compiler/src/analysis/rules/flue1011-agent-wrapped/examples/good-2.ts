'use agent';
import { useModel } from '@flue/runtime';
const impl = () => {
  useModel('openai/gpt-5');
};
export { impl as Alias };
