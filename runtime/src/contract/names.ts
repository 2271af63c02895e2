/** Built-in tools of every sandbox (NAME-01). */
export const BUILTIN_TOOLS = ['read', 'write', 'edit', 'bash', 'grep', 'glob'] as const;

/** Names that no custom tool may take, whether or not the framework tool is present (NAME-02). */
export const RESERVED_TOOLS = ['task', 'activate_skill', 'read_skill_resource', 'finish', 'give_up'] as const;

/** The widest form that model providers accept for a tool's name (TOOL-02). */
export const TOOL_NAME_PATTERN = /^[A-Za-z0-9_-]{1,128}$/;

/** Signal types that only the framework writes (NARR-30); a send or an append carrying one is refused. */
export const RESERVED_SIGNAL_TYPES = [
  'resources',
  'instructions',
  'environment',
  'stream_interrupted',
  'stream_continued',
  'submission_aborted',
  'submission_interrupted',
  'compaction',
  'memory',
] as const;

/** A signal's `tagName` is rendered unescaped, so it must be an XML name (MSG-07). */
export const SIGNAL_TAG_PATTERN = /^[A-Za-z_][A-Za-z0-9_.-]*$/;
export const DEFAULT_SIGNAL_TAG = 'signal';

/** The framework's own blank delegate (DELEG-05). */
export const GENERAL_SUBAGENT_NAME = 'flue-general';

/** A skill's name (SKILL-02). */
export const SKILL_NAME_PATTERN = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** Reasoning effort of a model call (THINK-01), weakest first. */
export const THINKING_LEVELS = ['off', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;
export type ThinkingLevel = (typeof THINKING_LEVELS)[number];
export const DEFAULT_THINKING_LEVEL: ThinkingLevel = 'medium';

/** Fields that a definition or a hook's options may carry; any other is a misspelling and throws. */
export const TOOL_FIELDS = [
  'name',
  'description',
  'input',
  'output',
  'harness',
  'durable',
  'parallel',
  'timeoutMs',
  'run',
] as const;
export const LEGACY_TOOL_FIELDS = ['parameters', 'execute'] as const;
export const SUBAGENT_FIELDS = [
  'name',
  'description',
  'agent',
  'model',
  'thinkingLevel',
  'compaction',
] as const;
export const SKILL_FIELDS = [
  'name',
  'description',
  'instructions',
  'license',
  'compatibility',
  'metadata',
  'allowedTools',
  'files',
] as const;
export const MODEL_OPTION_FIELDS = ['thinkingLevel', 'compaction'] as const;
export const COMPACTION_FIELDS = ['reserveTokens', 'keepRecentTokens', 'model'] as const;
export const SANDBOX_OPTION_FIELDS = ['cwd'] as const;
export const DATA_WRITER_OPTION_FIELDS = ['schema'] as const;
export const DURABILITY_FIELDS = ['maxAttempts', 'timeoutMs'] as const;
export const AGENT_STATICS = ['agentName', 'initialData', 'durability'] as const;
