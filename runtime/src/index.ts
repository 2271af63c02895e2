/** Agents as functions: hooks, definitions, and the calls that send messages to agents from code. */

// models
export { resolveModelInfo } from './adapters/models/resolve-model-info.ts';
export {
  type ApiProviderHandler,
  type HttpProviderRegistration,
  type ModelOverride,
  registerApiProvider,
  registerProvider,
  setProvider,
} from './adapters/pi-ai/registrations.ts';
export { AgentRunError } from './app/agent-run-error.ts';
export { ManifestInvalidError, ManifestStaleError, ManifestVersionError } from './app/check-manifest.ts';
// sending
export {
  type AgentDispatchRequest,
  type AgentInstanceInfo,
  type DispatchReceipt,
  dispatch,
  getAgentInstance,
} from './app/dispatch.ts';
export * from './app/errors.ts';
export {
  type AgentDispatchOptions,
  type AgentHandleDispatchRequest,
  type AgentInstanceHandle,
  type InitOptions,
  init,
} from './app/init.ts';
export { __flueBindAgentModule, type AgentIdentityBinding } from './app/registry.ts';
// identity
export { AGENT_IDENTITY_PATTERN } from './contract/identity.ts';
export type { ThinkingLevel } from './contract/names.ts';
export type {
  DeliveredAttachment,
  DeliveredMessage,
  DeliveredMessageInput,
} from './conversation/delivered-message.ts';
export { ConversationRecordInvariantError } from './conversation/errors.ts';
export type { Chunk as ConversationStreamChunk } from './conversation/projections/chunk.ts';
export type { AgentReply } from './conversation/projections/reply.ts';
// definitions
export type { Agent, AgentFunction, AgentProps, AgentStatics, DurabilityConfig } from './engine/agent.ts';
export { OperationFailedError } from './engine/errors.ts';
// hooks, called while an agent function renders
export type { CompactionConfig } from './engine/hooks/frame.ts';
export { useDelivery } from './engine/hooks/use-delivery.ts';
export { useInitialData } from './engine/hooks/use-initial-data.ts';
export { useInstruction } from './engine/hooks/use-instruction.ts';
export { type ModelOptions, useModel } from './engine/hooks/use-model.ts';
export { type StateSetter, usePersistentState } from './engine/hooks/use-persistent-state.ts';
export { useTool } from './engine/hooks/use-tool.ts';
// errors
export { FlueError, FlueHttpError } from './errors/flue-error.ts';
export * from './ports/model-errors.ts';
export type { PromptUsage } from './ports/model-shapes.ts';
export * from './ports/store-errors.ts';
export * from './submissions/errors.ts';
export * from './tool.ts';
