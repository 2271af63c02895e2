/** What tests of agents and of adapters use: models that answer from a script, bare renders, contract suites. */

export { type RenderAgentOptions, type RenderedAgent, renderAgent } from './testing/render-agent.ts';
export { type ScriptModel, type ScriptStep, scriptModel } from './testing/script-model.ts';
