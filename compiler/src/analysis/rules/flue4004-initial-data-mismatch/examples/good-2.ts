'use agent';
import { dispatch, useModel } from '@flue/runtime';
export function Agent() { useModel('openai/gpt-5'); }
export const go = () => dispatch(Agent, { id: '1', message: 'x', initialData: { n: '1' } });
