/** The client of agents over HTTP: runs in browsers, loads no package and no server code. */

// errors
export { AgentRunError } from './app/agent-run-error.ts';
// what generated clients are made of
export {
  type AgentPlaces,
  type Connect,
  type ConnectOptions,
  createConnect,
  pageAccessor,
} from './transports/client/connect.ts';
export type {
  AgentAccessor,
  AgentContract,
  AgentConversation,
  AgentReply,
  Chunk,
  ContinueInput,
  InitialData,
  ReadOptions,
  SendInput,
  SendReceipt,
} from './transports/client/contract.ts';
export {
  FlueApiError,
  FlueExecutionError,
  FlueSendUncertainError,
  FlueStreamError,
} from './transports/client/http/errors.ts';
export type { AgentTransport } from './transports/client/transport.ts';
