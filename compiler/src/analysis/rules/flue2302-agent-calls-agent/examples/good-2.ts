'use agent';
import { useModel } from '@flue/runtime';
const useBase = () => {
  useModel('openai/gpt-5');
};
export function One() {
  useBase();
}
export function Two() {
  useBase();
}
