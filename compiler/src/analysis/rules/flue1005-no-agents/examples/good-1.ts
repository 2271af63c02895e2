'use agent';
import { useModel } from '@flue/runtime';
const Agent = () => {
  useModel('openai/gpt-5');
};
export { Agent };
