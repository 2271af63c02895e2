'use agent';
import { dispatch, useModel } from '@flue/runtime';
import * as v from 'valibot';
export function Agent() { useModel('openai/gpt-5'); }
Agent.initialData = v.object({ n: v.number() });
export const go = () => dispatch(Agent, { id: '1', message: 'x', initialData: { n: '1' } }); // expect: FLUE4004 warning
