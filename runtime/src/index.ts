/** Agents as functions: hooks, definitions, and the calls that send messages to agents from code. */

// models and their providers
export { resolveModelInfo } from './adapters/models/resolve-model-info.ts';
export {
  type ApiProviderHandler,
  type HttpProviderRegistration,
  type ModelOverride,
  type PiProvider,
  registerApiProvider,
  registerProvider,
  setProvider,
} from './adapters/pi-ai/registrations.ts';
export {
  getCurrentSystemPrompt,
  getCurrentTools,
  type HandlerMessages,
  type HandlerTool,
} from './adapters/pi-ai/transcript.ts';
// sandboxes
export { type BashLike, bash } from './adapters/sandbox/bash.ts';
export type { VirtualNetwork } from './adapters/sandbox/network.ts';
export {
  createSandboxSessionEnv,
  createSandboxSessionEnv as sandboxFromDriver,
  type OrphanedExecSettlement,
  type SessionEnvOptions,
} from './adapters/sandbox/session-env.ts';
export { type VirtualLimits, type VirtualOptions, virtual } from './adapters/sandbox/virtual.ts';
// errors: of requests and instances
export { AgentRunError } from './app/agent-run-error.ts';
// sending and reading
export {
  type AgentDispatchRequest,
  type AgentInstanceInfo,
  dispatch,
  getAgentInstance,
} from './app/dispatch.ts';
export {
  AgentInstanceExistsError,
  AgentInstanceNotFoundError,
  AttachmentNotFoundError,
  ForbiddenError,
  InvalidJsonError,
  LiveReaderLimitError,
  MethodNotAllowedError,
  PayloadTooLargeError,
  RouteNotFoundError,
  RuntimeUnavailableError,
  StreamNotFoundError,
  StreamOffsetGoneError,
  SubmissionConflictError,
  SubmissionNotFoundError,
  UnsupportedMediaTypeError,
} from './app/errors.ts';
export {
  type AgentDispatchOptions,
  type AgentHandleDispatchRequest,
  type AgentInstanceHandle,
  type CompactOptions,
  type InitOptions,
  init,
} from './app/init.ts';
export { ManifestInvalidError, ManifestStaleError, ManifestVersionError } from './app/manifest-errors.ts';
// for generated code only
export { __flueBindAgentModule, type AgentIdentityBinding } from './app/registry.ts';
// agents and tools
export { AGENT_IDENTITY_PATTERN } from './contract/identity.ts';
export type { ThinkingLevel } from './contract/names.ts';
export type {
  DeliveredAttachment,
  DeliveredMessage,
  DeliveredMessageInput,
} from './conversation/delivered-message.ts';
// errors: of persistence
export { ConversationRecordInvariantError } from './conversation/errors.ts';
export type { LiveChunk as ConversationStreamChunk } from './conversation/projections/chunk.ts';
export type { AgentReply } from './conversation/projections/reply.ts';
export type { Agent, AgentFunction, AgentProps, AgentStatics, DurabilityConfig } from './engine/agent.ts';
export type { CompactionConfig } from './engine/compaction/compaction-config.ts';
export type { DispatchReceipt } from './engine/dispatch-receipt.ts';
// errors: of settlements, tools and models
export { OperationFailedError } from './engine/errors.ts';
export type {
  ErrorInfo,
  FlueEvent,
  FlueEventContext,
  FlueObservation,
  FlueObservationSubscriber,
  LlmAssistantMessage,
  LlmMessage,
  LlmTool,
  ModelRequest,
  ModelRequestInfo,
  ModelResponse,
} from './engine/events/event.ts';
export { configureRedaction, observe } from './engine/events/observe.ts';
// observing a process
export { IMAGE_DATA_OMITTED } from './engine/events/scrub.ts';
// harnesses
export type { CallHandle } from './engine/harness/call-handle.ts';
export { HarnessClosedError, ResultUnavailableError, SessionBusyError } from './engine/harness/errors.ts';
export type { PromptModel, PromptResponse, PromptResultResponse } from './engine/harness/prompt-response.ts';
export type {
  AgentAppendMessage,
  AgentFinishContext,
  AgentResponse,
  AgentResponseToolCall,
  AgentStartContext,
  ResponseFinishContext,
  ResponseMetadataCallback,
  ResponseStartContext,
} from './engine/hooks/event-hooks.ts';
// hooks, called while an agent function renders
export { useAgentFinish } from './engine/hooks/use-agent-finish.ts';
export { useAgentStart } from './engine/hooks/use-agent-start.ts';
export { useDataWriter } from './engine/hooks/use-data-writer.ts';
export { useDelivery } from './engine/hooks/use-delivery.ts';
export { useDispatchMessage } from './engine/hooks/use-dispatch-message.ts';
export { useInitialData } from './engine/hooks/use-initial-data.ts';
export { useInstruction } from './engine/hooks/use-instruction.ts';
export { type ModelOptions, useModel } from './engine/hooks/use-model.ts';
export { type StateSetter, usePersistentState } from './engine/hooks/use-persistent-state.ts';
export { useResponseFinish } from './engine/hooks/use-response-finish.ts';
export { useResponseStart } from './engine/hooks/use-response-start.ts';
export { type SandboxOptions, useSandbox } from './engine/hooks/use-sandbox.ts';
export { useSkill } from './engine/hooks/use-skill.ts';
export { useSubagent } from './engine/hooks/use-subagent.ts';
export { useTool } from './engine/hooks/use-tool.ts';
export type { FlueLogger } from './engine/logger.ts';
export { SandboxToolsError } from './engine/sandbox/errors.ts';
// tools over a sandbox, for adapters that bring their own set
export type {
  SandboxFactory,
  SessionTool,
  SessionToolFactory,
  SessionToolResult,
} from './engine/sandbox/session-tool.ts';
export { createBashTool } from './engine/sandbox/tools/bash.ts';
export { createEditTool } from './engine/sandbox/tools/edit.ts';
export { createGlobTool } from './engine/sandbox/tools/glob.ts';
export { createGrepTool } from './engine/sandbox/tools/grep.ts';
export { createReadTool } from './engine/sandbox/tools/read.ts';
export { createWriteTool } from './engine/sandbox/tools/write.ts';
// skills
export { defineSkill } from './engine/skills/define-skill.ts';
export { SkillDefinitionValidationError } from './engine/skills/errors.ts';
export { __fluePackageSkill } from './engine/skills/packaged-skills.ts';
export type { Skill, SkillDefinition, SkillReference } from './engine/skills/skill.ts';
// subagents
export { defineSubagent, GeneralSubagent } from './engine/subagents/define-subagent.ts';
export { AttachmentNotAvailableError, DelegationDepthExceededError } from './engine/subagents/errors.ts';
export type { SubagentDefinition } from './engine/subagents/subagent-definition.ts';
export { defineTool } from './engine/tools/define-tool.ts';
export {
  ToolInputValidationError,
  ToolLegacyDefinitionError,
  ToolNameConflictError,
  ToolOutputSerializationError,
  ToolOutputValidationError,
} from './engine/tools/errors.ts';
export type {
  FlueHarness,
  PromptImage,
  PromptOptions,
  ToolContext,
  ToolDefinition,
  ToolInput,
  ToolInputSchema,
  ToolOutput,
  ToolOutputSchema,
  ToolRunResult,
} from './engine/tools/tool-definition.ts';
export type { ToolStep } from './engine/tools/tool-step.ts';
export { validateAndRunTool } from './engine/tools/validate-and-run-tool.ts';
export { FlueError, FlueHttpError } from './errors/flue-error.ts';
export { InvalidRequestError, type ValidationIssue } from './errors/invalid-request-error.ts';
export {
  InvalidModelSpecifierError,
  ProviderNotConfiguredError,
  ProviderRegistrationError,
  UnknownModelError,
  UnknownProviderApiError,
  UnknownProviderError,
} from './ports/model-errors.ts';
export type { ModelInfo } from './ports/model-gateway.ts';
export type { PromptUsage } from './ports/model-shapes.ts';
export type {
  EnvironmentSource,
  ExecOptions,
  FileStat,
  GlobQuery,
  GlobResult,
  GrepQuery,
  GrepResult,
  RemoveOptions,
  SandboxApi,
  SearchBackend,
  SessionEnv,
  ShellResult,
} from './ports/sandbox.ts';
export {
  InvalidPathError,
  SandboxDiedError,
  SandboxOperationUnsupportedError,
  SandboxPathDeniedError,
  SandboxStartError,
} from './ports/sandbox-errors.ts';
export {
  AttachmentConflictError,
  AttachmentIntegrityError,
  ConversationStreamStoreError,
  OwnershipLostError,
  PersistedFormatVersionError,
  PersistenceError,
  RecordTooLargeError,
} from './ports/store-errors.ts';
export {
  AgentUnavailableError,
  SubmissionAbortedError,
  SubmissionInterruptedError,
  SubmissionRetryExhaustedError,
  SubmissionTimeoutError,
} from './submissions/errors.ts';
// the transport of a generated client in this process
export { inProcess } from './transports/client/in-process.ts';
