/** `@flue/runtime/tool`: to define tools and to run one alone, without the model layer or a platform (TOOL-01). */
export type { FlueLogger } from './engine/logger.ts';
export { defineTool } from './engine/tools/define-tool.ts';
export {
  ToolInputValidationError,
  ToolLegacyDefinitionError,
  ToolNameConflictError,
  ToolOutputSerializationError,
  ToolOutputValidationError,
} from './engine/tools/errors.ts';
export { toolInputJsonSchema } from './engine/tools/json-schema.ts';
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
