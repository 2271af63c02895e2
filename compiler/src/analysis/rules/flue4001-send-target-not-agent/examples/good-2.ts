import { dispatch } from '@flue/runtime';
export const send = (agent) => dispatch(agent, { id: '1', message: 'x' });
