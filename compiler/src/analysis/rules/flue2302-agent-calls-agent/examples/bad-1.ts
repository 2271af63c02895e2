'use agent';
import { useModel } from '@flue/runtime';
export function Inner() {
  useModel('openai/gpt-5');
  return 'x';
}
export function Outer() {
  return Inner(); // expect: FLUE2302 error
}
