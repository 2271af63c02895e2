'use agent';
import { useModel } from '@flue/runtime';
import { useX } from '#nowhere/x'; // expect: FLUE5005 info
export function Agent() {
  useModel('openai/gpt-5');
  useX();
}
