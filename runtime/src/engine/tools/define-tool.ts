import type { RuleCode } from '../../contract/codes.ts';
import { LEGACY_TOOL_FIELDS, TOOL_FIELDS, TOOL_NAME_PATTERN } from '../../contract/names.ts';
import { suggestion } from '../../contract/nearest.ts';
import { misuse } from '../../errors/flue-error.ts';
import { isObjectSchema, isSyncSchema } from '../schema.ts';
import { ToolLegacyDefinitionError } from './errors.ts';
import { toolParameters } from './json-schema.ts';
import type { ToolDefinition, ToolInputSchema, ToolOutputSchema } from './tool-definition.ts';

/** Frozen definitions that passed; nothing about them can change, so a render need not look again. */
const validated = new WeakSet<object>();

/**
 * Checks a tool and returns it frozen, so that a bad one fails when its module loads (TOOL-01). `run` receives `data`
 * typed by `input` and may return what `output` accepts.
 *
 * @throws ToolLegacyDefinitionError for `parameters` or `execute`; Error for every other fault, naming the field
 */
export function defineTool<
  I extends ToolInputSchema | undefined = undefined,
  O extends ToolOutputSchema | undefined = undefined,
  H extends boolean = false,
  D extends boolean = false,
>(definition: ToolDefinition<I, O, H, D>): ToolDefinition<I, O, H, D> {
  validateTool(definition, 'defineTool()');
  toolParameters(definition.input);
  const defined = Object.freeze({ ...definition });
  validated.add(defined);
  return defined;
}

/** @param where the call that was handed the definition, for messages */
export function validateTool(definition: unknown, where: string): asserts definition is ToolDefinition {
  if (typeof definition !== 'object' || definition === null) {
    throw misuse(
      `${where} takes a tool definition, not ${definition === null ? 'null' : typeof definition}.`,
      'FLUE2402',
    );
  }
  if (validated.has(definition)) return;
  const fields = definition as Readonly<Record<string, unknown>>;
  refuseLegacyFields(fields);
  const fault = unknownField(fields) ?? TOOL_RULES.find((rule) => !rule.holds(fields[rule.field]));
  if (!fault) return;
  const name = typeof fields.name === 'string' && fields.name !== '' ? ` "${fields.name}"` : '';
  throw misuse(`${where}: tool${name}: "${fault.field}" ${fault.must}.`, fault.rule);
}

function refuseLegacyFields(fields: Readonly<Record<string, unknown>>): void {
  const legacy = LEGACY_TOOL_FIELDS.filter((field) => field in fields);
  if (legacy.length > 0) throw new ToolLegacyDefinitionError({ fields: legacy });
}

interface Fault {
  readonly field: string;
  readonly must: string;
  readonly rule?: RuleCode;
}

function unknownField(fields: object): Fault | undefined {
  const field = Object.keys(fields).find((key) => !(TOOL_FIELDS as readonly string[]).includes(key));
  if (field === undefined) return undefined;
  return {
    field,
    must: `is not a field of a tool${suggestion(field, TOOL_FIELDS) || '.'} It takes ${TOOL_FIELDS.join(', ')}`,
    rule: 'FLUE3001',
  };
}

const isText = (value: unknown) => typeof value === 'string' && value.trim() !== '';
const isFlag = (value: unknown) => value === undefined || typeof value === 'boolean';
const isAbsentOr = (test: (value: unknown) => boolean) => (value: unknown) =>
  value === undefined || test(value);

/** What each field must be, in the order in which faults are reported. */
const TOOL_RULES: readonly (Fault & { holds(value: unknown): boolean })[] = [
  { field: 'name', must: 'must be a non-empty string', rule: 'FLUE3001', holds: isText },
  {
    field: 'name',
    must: 'must consist of letters, digits, "_" and "-", at most 128 of them, as model providers require',
    rule: 'FLUE3003',
    holds: (name) => TOOL_NAME_PATTERN.test(name as string),
  },
  { field: 'description', must: 'must be a non-empty string', rule: 'FLUE3001', holds: isText },
  {
    field: 'input',
    must: 'must be a synchronous Valibot schema',
    rule: 'FLUE3007',
    holds: isAbsentOr(isSyncSchema),
  },
  {
    field: 'input',
    must: 'must be a top-level object schema, since a model sends its arguments as one JSON object',
    rule: 'FLUE3006',
    holds: isAbsentOr(isObjectSchema),
  },
  {
    field: 'output',
    must: 'must be a synchronous Valibot schema',
    rule: 'FLUE3007',
    holds: isAbsentOr(isSyncSchema),
  },
  { field: 'harness', must: 'must be a boolean', rule: 'FLUE3001', holds: isFlag },
  { field: 'durable', must: 'must be a boolean', rule: 'FLUE3001', holds: isFlag },
  { field: 'parallel', must: 'must be a boolean', rule: 'FLUE3001', holds: isFlag },
  {
    field: 'timeoutMs',
    must: 'must be a positive integer of milliseconds',
    rule: 'FLUE3001',
    holds: isAbsentOr((ms) => Number.isSafeInteger(ms) && (ms as number) > 0),
  },
  {
    field: 'run',
    must: 'must be a function',
    rule: 'FLUE3001',
    holds: (run) => typeof run === 'function',
  },
];
