import type { RuleCode } from '../../contract/codes.ts';
import { GENERAL_SUBAGENT_NAME, SUBAGENT_FIELDS, THINKING_LEVELS } from '../../contract/names.ts';
import { misuse } from '../../errors/flue-error.ts';
import { parseCompaction } from '../compaction/compaction-config.ts';
import type { SubagentDefinition } from './subagent-definition.ts';

/**
 * Checks a delegate and returns it frozen, so that a bad one fails when its module loads (DELEG-01). A mount may
 * override fields: `useSubagent({ ...delegate, model: 'provider-id/model-id' })`.
 *
 * @throws Error naming the field
 */
export function defineSubagent(definition: SubagentDefinition): SubagentDefinition {
  validateSubagent(definition, 'defineSubagent()');
  return Object.freeze({ ...definition });
}

/** @param where the call that was handed the definition, for messages */
export function validateSubagent(
  definition: unknown,
  where: string,
): asserts definition is SubagentDefinition {
  if (typeof definition !== 'object' || definition === null) {
    const given = definition === null ? 'null' : typeof definition;
    throw misuse(`${where} takes a subagent definition, not ${given}.`, 'FLUE2402');
  }
  const fields = definition as Readonly<Record<string, unknown>>;
  const fault = unknownField(fields) ?? SUBAGENT_RULES.find((rule) => !rule.holds(fields[rule.field]));
  const name = typeof fields.name === 'string' && fields.name !== '' ? ` "${fields.name}"` : '';
  if (fault) throw misuse(`${where}: subagent${name}: "${fault.field}" ${fault.must}.`, RULE);
  parseCompaction(fields.compaction, `${where}: subagent${name}`, RULE);
  if (fields.name === GENERAL_SUBAGENT_NAME && fields.agent !== General) {
    throw misuse(
      `${where}: the name "${GENERAL_SUBAGENT_NAME}" is the framework's own. Give the delegate another name, or mount ` +
        'GeneralSubagent.',
      'FLUE3302',
    );
  }
}

const RULE: RuleCode = 'FLUE3301';

interface Fault {
  readonly field: string;
  readonly must: string;
}

function unknownField(fields: object): Fault | undefined {
  const field = Object.keys(fields).find((key) => !(SUBAGENT_FIELDS as readonly string[]).includes(key));
  if (field === undefined) return undefined;
  return { field, must: `is not a field of a subagent. It takes ${SUBAGENT_FIELDS.join(', ')}` };
}

const isText = (value: unknown) => typeof value === 'string' && value.trim() !== '';

/** What each field must be, in the order in which faults are reported. */
const SUBAGENT_RULES: readonly (Fault & { holds(value: unknown): boolean })[] = [
  { field: 'name', must: 'must be a non-empty string', holds: isText },
  { field: 'description', must: 'must be a non-empty string', holds: isText },
  { field: 'agent', must: 'must be an agent function', holds: (agent) => typeof agent === 'function' },
  {
    field: 'model',
    must: "must be a specifier like 'provider-id/model-id'",
    holds: (model) => model === undefined || isText(model),
  },
  {
    field: 'thinkingLevel',
    must: `must be one of ${THINKING_LEVELS.join(', ')}`,
    holds: (level) => level === undefined || (THINKING_LEVELS as readonly unknown[]).includes(level),
  },
];

/** Deliberately nothing: no instructions, no tools, no skills and no delegates (DELEG-05). */
function General(): void {}

/** A blank delegate for any self-contained piece of work, with the model of whoever delegates. Opt-in (DELEG-05). */
export const GeneralSubagent: SubagentDefinition = defineSubagent({
  name: GENERAL_SUBAGENT_NAME,
  description: 'Works on any self-contained task, apart from this conversation.',
  agent: General,
});
