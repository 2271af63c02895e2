import * as v from 'valibot';
import { isRuleCode, RULES, type RuleCode } from '../contract/codes.ts';
import { EXECUTION_FIELDS, HTTP_DEFAULTS, MODEL_FIELDS } from '../contract/limits.ts';
import { suggestion } from '../contract/nearest.ts';

const SEVERITIES = ['off', 'hint', 'info', 'warn', 'error'] as const;
const RULE_NAMES: readonly string[] = Object.values(RULES);

/** A build needs these findings, so no configuration lowers them (RULE-32). */
export const BUILD_BLOCKING_RULES: readonly RuleCode[] = [
  'FLUE1005',
  'FLUE1006',
  'FLUE1007',
  'FLUE1009',
  'FLUE1101',
  'FLUE1102',
  'FLUE1103',
  'FLUE1104',
  'FLUE1105',
  'FLUE1106',
  'FLUE5001',
];

const text = v.pipe(v.string('must be a string'), v.nonEmpty('must not be empty'));
const flag = v.boolean('must be true or false');
const texts = v.array(text, 'must be an array of strings');

function integer(least: number, most = Number.MAX_SAFE_INTEGER) {
  const range = most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`;
  const message = `must be an integer ${range}`;
  return v.pipe(v.number(message), v.integer(message), v.minValue(least, message), v.maxValue(most, message));
}

function oneOf<const T extends readonly string[]>(values: T) {
  return v.picklist(values, `must be one of ${values.map((value) => `"${value}"`).join(', ')}`);
}

/** A group of optional fields; what is in none of its entries is found by `unknownFields`. */
function group<const E extends v.ObjectEntries>(entries: E) {
  return v.object(entries, 'must be an object');
}

function numbers<K extends string>(fields: Readonly<Record<K, unknown>>, least: number) {
  const field = v.optional(integer(least));
  return Object.fromEntries(Object.keys(fields).map((name) => [name, field])) as Record<K, typeof field>;
}

const ruleKey = v.pipe(
  v.string(),
  v.check(
    (key) => isRuleCode(key) || RULE_NAMES.includes(key),
    ({ input }) => `is no rule${suggestion(input, [...Object.keys(RULES), ...RULE_NAMES])}`,
  ),
);

const ruleSeverities = v.pipe(
  v.record(ruleKey, oneOf(SEVERITIES), 'must be an object of rules and severities'),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    for (const [key, severity] of Object.entries(dataset.value)) {
      const blocking = BUILD_BLOCKING_RULES.some((code) => code === key || RULES[code] === key);
      if (!blocking || severity === 'error') continue;
      addIssue({
        message: 'cannot be lowered: a build without this rule would not know its agents',
        path: [{ type: 'object', origin: 'value', input: dataset.value, key, value: severity }],
      });
    }
  }),
);

const execution = v.pipe(
  group(numbers(EXECUTION_FIELDS, 1)),
  v.check((fields) => {
    const lease = fields.leaseMs ?? EXECUTION_FIELDS.leaseMs.default;
    return lease >= 2 * (fields.heartbeatMs ?? EXECUTION_FIELDS.heartbeatMs.default);
  }, 'needs a leaseMs of at least twice heartbeatMs'),
);

/** The project's configuration, every field optional (CFG-01). */
export const FlueConfigSchema = group({
  target: v.optional(oneOf(['node', 'cloudflare'])),
  app: v.optional(text),
  db: v.optional(text),
  cloudflare: v.optional(text),
  setup: v.optional(v.union([text, texts], 'must be a path or an array of paths')),
  sourceRoot: v.optional(text),
  agents: v.optional(text),
  providers: v.optional(
    v.array(
      v.pipe(
        v.string('must be a provider id'),
        v.regex(/^[a-z0-9][a-z0-9-]*$/, 'must be a provider id: lower-case letters, digits and dashes'),
      ),
      'must be an array of provider ids',
    ),
  ),
  tracing: v.optional(flag),
  http: v.optional(group(numbers(HTTP_DEFAULTS, 0))),
  execution: v.optional(execution),
  model: v.optional(group(numbers(MODEL_FIELDS, 0))),
  check: v.optional(
    group({
      profile: v.optional(oneOf(['strict'])),
      maxWarnings: v.optional(integer(0)),
      rules: v.optional(ruleSeverities),
      ignore: v.optional(texts),
    }),
  ),
  generate: v.optional(group({ outDir: v.optional(text) })),
  dev: v.optional(
    group({ port: v.optional(integer(0, 65535)), host: v.optional(text), inspector: v.optional(flag) }),
  ),
  build: v.optional(group({ outDir: v.optional(text), sourcemap: v.optional(flag) })),
});

export type FlueConfig = v.InferInput<typeof FlueConfigSchema>;

/** What a configuration given as a function is called with (CFG-01). */
export interface FlueConfigContext {
  readonly command: string;
  readonly mode: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export type FlueConfigExport =
  | FlueConfig
  | ((context: FlueConfigContext) => FlueConfig | Promise<FlueConfig>);
