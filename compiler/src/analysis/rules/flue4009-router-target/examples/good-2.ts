import { createAgentRouter } from '@flue/runtime/routing';
export const mount = (a) => createAgentRouter(a);
