/** The client of agents over HTTP: runs in browsers, loads no package and no server code. */

// errors
export { AgentRunError } from './app/agent-run-error.ts';
// what generated clients are made of
export type { AgentContract } from './transports/client/agent-contract.ts';
export {
  type AgentPlaces,
  type Connect,
  type ConnectOptions,
  createConnect,
  pageAccessor,
} from './transports/client/connect.ts';
export type {
  AgentAccessor,
  AgentConversation,
  AgentReply,
  Attachment,
  ContinueInput,
  HistoryOptions,
  InitialData,
  ReadOptions,
  SendInput,
  SendReceipt,
} from './transports/client/contract.ts';
// conversations, as the contract of their agent types them
export {
  type Chunk,
  type ConversationMessage,
  type ConversationPart,
  type ConversationSnapshot,
  type DataPart,
  type FilePart,
  isDataPart,
  isToolPart,
  type ToolPart,
} from './transports/client/conversation-types.ts';
export {
  FlueApiError,
  FlueExecutionError,
  FlueSendUncertainError,
  FlueStreamError,
} from './transports/client/http/errors.ts';
export type {
  ConversationObservation,
  ObservationPhase,
  ObservationSnapshot,
  ObserveOptions,
} from './transports/client/observe/observation-types.ts';
export type { AgentTransport } from './transports/client/transport.ts';
