import * as v from 'valibot';

/** The manifest version that this package writes and reads (MAN-01); raised only for what an old reader would misread. */
export const MANIFEST_VERSION = 1;

/** Why a value could not be read without running code (EVALS-03). */
export const DYNAMIC_REASONS = [
  'not-literal',
  'opaque-call',
  'unresolved-import',
  'parameter',
  'mutable-binding',
  'unknown-spread',
  'computed-key',
  'async-schema',
  'foreign-schema',
  'recursive',
  'budget',
] as const;
export type DynamicReason = (typeof DYNAMIC_REASONS)[number];

/** A value of a set that may grow: a reader takes what it does not know for `dynamic`, never for an error (MAN-01). */
function closedSet<const T extends readonly string[]>(values: T) {
  return v.fallback(v.picklist([...values, 'dynamic']), 'dynamic');
}

const Text = v.string();
const Texts = v.array(Text);
const Hash = v.pipe(Text, v.regex(/^sha256:[0-9a-f]{64}$/));
const Count = v.pipe(v.number(), v.integer(), v.minValue(1));

/** Lines and columns count from 1, columns in UTF-16 units; the end is exclusive (MAN-02, DET-05). */
const Span = v.object({ line: Count, column: Count, endLine: Count, endColumn: Count });

const Dynamic = v.object({
  dynamic: v.literal(true),
  reason: closedSet(DYNAMIC_REASONS),
  span: v.optional(Span),
});
export type Dynamic = v.InferOutput<typeof Dynamic>;

/** A value that is static, or says why it is not. */
function slot<T extends v.GenericSchema>(value: T) {
  return v.union([value, Dynamic]);
}

const TextSlot = slot(Text);
const JsonSchema = v.record(Text, v.unknown());
const SchemaSlot = slot(v.object({ schema: JsonSchema }));
const Presence = closedSet(['always', 'sometimes', 'repeated']);
const Stability = closedSet(['fixed', 'varying', 'unknown']);
const Unsure = v.nullable(v.boolean());

/** What every mounted thing says about where it comes from: `via` names the custom hooks from the agent inward. */
const mounted = {
  presence: Presence,
  stability: v.optional(Stability),
  module: Text,
  span: Span,
  via: Texts,
};

const HookUse = v.object({ hook: Text, name: v.optional(TextSlot), ...mounted });

const Tool = v.object({
  name: TextSlot,
  description: TextSlot,
  descriptionCut: v.optional(v.literal(true)),
  harness: Unsure,
  durable: Unsure,
  parallel: Unsure,
  input: v.nullable(SchemaSlot),
  output: v.nullable(SchemaSlot),
  steps: Texts,
  export: v.optional(Text),
  external: v.optional(v.literal(true)),
  ...mounted,
});

const McpTools = v.object({ mcp: TextSlot, ...mounted });

const SkillMount = v.object({
  name: TextSlot,
  kind: closedSet(['package', 'inline']),
  /** id of the packaged skill (SKILL-04); absent for one that cannot be packaged */
  skill: v.optional(Text),
  ...mounted,
});

const FunctionRef = v.object({ module: Text, export: v.optional(Text), function: v.optional(Text) });

export interface ManifestSubagent {
  name: string | Dynamic;
  description: string | Dynamic;
  model: string | Dynamic | null;
  thinkingLevel: string | Dynamic | null;
  presence: v.InferOutput<typeof Presence>;
  stability?: v.InferOutput<typeof Stability> | undefined;
  module: string;
  span: ManifestSpan;
  via: string[];
  agent: v.InferOutput<typeof FunctionRef> | Dynamic;
  tools: ManifestToolEntry[];
  skills: ManifestSkillMount[];
  subagents: ManifestSubagent[];
}

/** Nested to the depth of a delegation chain, without a delegate that is already open on the path (MAN-06). */
const Subagent: v.GenericSchema<unknown, ManifestSubagent> = v.object({
  name: TextSlot,
  description: TextSlot,
  model: v.nullable(TextSlot),
  thinkingLevel: v.nullable(TextSlot),
  ...mounted,
  agent: slot(FunctionRef),
  tools: v.array(v.union([Tool, McpTools])),
  skills: v.array(SkillMount),
  subagents: v.array(v.lazy(() => Subagent)),
});

const State = v.object({ name: TextSlot, default: slot(v.object({ value: v.unknown() })), ...mounted });

const DataPart = v.object({ name: TextSlot, schema: v.nullable(SchemaSlot), ...mounted });

const Mount = v.object({ path: Text, module: Text, span: Span, authorized: Unsure });

const Agent = v.object({
  identity: Text,
  identityFrom: closedSet(['agentName', 'export', 'function']),
  module: Text,
  external: v.optional(v.literal(true)),
  export: Text,
  function: Text,
  span: Span,
  accessor: Text,
  sourceHash: Hash,
  closureHash: Hash,
  durable: v.object({ className: Text, bindingName: Text }),
  statics: v.object({
    agentName: v.optional(Text),
    durability: v.optional(slot(v.object({ value: v.record(Text, v.unknown()) }))),
    initialData: v.optional(
      v.union([
        v.object({ ...Dynamic.entries, acceptsUndefined: Unsure }),
        v.object({ schema: JsonSchema, acceptsUndefined: Unsure }),
      ]),
    ),
  }),
  model: v.object({
    presence: closedSet(['always', 'sometimes', 'repeated', 'never']),
    specifiers: Texts,
    dynamic: v.boolean(),
    thinkingLevel: v.optional(TextSlot),
    compaction: v.optional(slot(v.object({ value: v.unknown() }))),
  }),
  sandbox: v.object({
    presence: closedSet(['always', 'sometimes', 'repeated', 'never']),
    factory: v.optional(
      slot(v.union([v.picklist(['default', 'local', 'bash']), v.object({ specifier: Text, export: Text })])),
    ),
  }),
  hooks: v.array(HookUse),
  tools: v.array(v.union([Tool, McpTools])),
  skills: v.array(SkillMount),
  subagents: v.array(Subagent),
  states: v.array(State),
  dataParts: v.array(DataPart),
  mounts: v.array(Mount),
  complete: v.boolean(),
});

const PackagedSkill = v.object({
  id: Text,
  name: Text,
  description: Text,
  module: Text,
  files: v.array(v.object({ path: Text, hash: Hash })),
});

const McpServer = v.object({
  name: TextSlot,
  url: TextSlot,
  module: Text,
  span: Span,
  agents: Texts,
});

const Model = v.object({
  specifier: Text,
  agents: Texts,
  source: v.nullable(closedSet(['catalog', 'registration', 'offline'])),
});

const Edge = v.object({
  from: v.union([v.object({ agent: Text }), v.object({ module: Text })]),
  to: TextSlot,
  kind: closedSet(['dispatch', 'init', 'lookup', 'self', 'subagent', 'mount', 'start']),
  where: Text,
  id: closedSet(['own', 'static', 'dynamic', 'none']),
  awaited: Unsure,
  module: Text,
  span: Span,
});

const Module = v.object({ path: Text, hash: Hash, external: v.optional(v.literal(true)) });

/**
 * What the compiler knows about an application, written once and read by the runtime, the inspector and generated
 * code (MAN-01..MAN-10). Unknown keys are allowed, so that an older reader takes a newer manifest of the same version.
 */
export const ManifestSchema = v.object({
  $generated: Text,
  manifestVersion: v.literal(MANIFEST_VERSION),
  compiler: Text,
  requires: Text,
  target: v.picklist(['node', 'cloudflare']),
  sourceRoot: Text,
  hash: Hash,
  agents: v.array(Agent),
  skills: v.optional(v.array(PackagedSkill), []),
  mcpServers: v.optional(v.array(McpServer), []),
  models: v.optional(v.array(Model), []),
  graph: v.optional(v.array(Edge), []),
  modules: v.array(Module),
});

/** What a manifest may be without: nothing but its own display rests on them (LOAD-04). */
export const MANIFEST_SECTIONS = ['skills', 'mcpServers', 'models', 'graph'] as const;

export type Manifest = v.InferOutput<typeof ManifestSchema>;
export type ManifestAgent = v.InferOutput<typeof Agent>;
export type ManifestHookUse = v.InferOutput<typeof HookUse>;
export type ManifestTool = v.InferOutput<typeof Tool>;
export type ManifestToolEntry = ManifestTool | v.InferOutput<typeof McpTools>;
export type ManifestSkillMount = v.InferOutput<typeof SkillMount>;
export type ManifestState = v.InferOutput<typeof State>;
export type ManifestDataPart = v.InferOutput<typeof DataPart>;
export type ManifestMount = v.InferOutput<typeof Mount>;
export type ManifestSpan = v.InferOutput<typeof Span>;
export type ManifestSchemaSlot = v.InferOutput<typeof SchemaSlot>;
export type ManifestEdge = v.InferOutput<typeof Edge>;

export { canonicalJson, compareCodeUnits, manifestHash, type Sha256 } from './canonical-json.ts';
