/** HTTP: the routes of an agent, for any server that speaks `fetch`. */

export type { Fetchable } from './transports/http/fetchable.ts';
export { streamCors } from './transports/http/headers.ts';
export { createAgentRouter } from './transports/http/router.ts';
