/** What tests of agents and of adapters use: models that answer from a script, bare renders, contract suites. */

export { createModelGateway, type ModelGatewayOptions } from './adapters/models/create-model-gateway.ts';
export { CassetteMissError } from './ports/model-errors.ts';
export type { ModelEnd, ModelEvent, ModelGateway, ModelInfo, ModelRequest } from './ports/model-gateway.ts';
export {
  type Cassette,
  type CassetteOptions,
  type TapeMode,
  type TapeRequest,
  useCassettes,
} from './testing/cassettes.ts';
export {
  type CollectedEvents,
  type CollectedReply,
  type CollectedToolCall,
  collectEvents,
} from './testing/collect-events.ts';
export { type FakeClock, fakeClock } from './testing/fake-clock.ts';
export { type RenderAgentOptions, type RenderedAgent, renderAgent } from './testing/render-agent.ts';
export {
  defineSandboxContractTests,
  type SandboxTestRunner,
} from './testing/sandbox-contract/define-sandbox-contract-tests.ts';
export type { SandboxTarget } from './testing/sandbox-contract/target.ts';
export { type ScriptModel, type ScriptStep, scriptModel } from './testing/script-model.ts';
export { defineStoreContractTests } from './testing/store-contract/define-store-contract-tests.ts';
export type { StoreTarget, TestRunner } from './testing/store-contract/target.ts';
