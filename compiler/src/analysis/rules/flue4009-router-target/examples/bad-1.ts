import { createAgentRouter } from '@flue/runtime/routing';
export const r = createAgentRouter(() => 'x'); // expect: FLUE4009 error
