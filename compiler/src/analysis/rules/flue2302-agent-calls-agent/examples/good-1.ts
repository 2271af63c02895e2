'use agent';
import { dispatch, useModel, useTool } from '@flue/runtime';
export function Inner() {
  useModel('openai/gpt-5');
}
export function Outer() {
  useModel('openai/gpt-5');
  useTool({
    name: 'go',
    description: 'd',
    async run() {
      await dispatch(Inner, { id: '1', message: 'x' });
    },
  });
}
