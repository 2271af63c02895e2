/** HTTP: the routes of an agent, for any server that speaks `fetch`. */

export type { Fetchable } from './transports/http/fetchable.ts';
export { streamCors } from './transports/http/headers.ts';
export {
  type AgentAction,
  type Authorize,
  type AuthorizeRequest,
  createMountAgents,
  type Mount,
  type MountAgents,
} from './transports/http/mount-agents.ts';
export { createAgentRouter } from './transports/http/router.ts';
