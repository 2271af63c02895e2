import type { RuleCode } from '../../contract/codes.ts';
import {
  DEFAULT_THINKING_LEVEL,
  MODEL_OPTION_FIELDS,
  THINKING_LEVELS,
  type ThinkingLevel,
} from '../../contract/names.ts';
import { misuse } from '../../errors/flue-error.ts';
import { unknownField } from '../../errors/unknown-field.ts';
import { InvalidModelSpecifierError } from '../../ports/model-errors.ts';
import { type CompactionConfig, parseCompaction } from '../compaction/compaction-config.ts';
import { claim, frameOf, type ModelChoice } from './frame.ts';

export interface ModelOptions {
  /** reasoning effort, default `'medium'` (MODEL-04) */
  thinkingLevel?: ThinkingLevel;
  /** `false` never compacts at the threshold; the recovery from an overflow still does (MODEL-05) */
  compaction?: false | CompactionConfig;
}

/**
 * Names the agent's model, `'provider-id/model-id'`. Called exactly once per render; the first render of an attempt
 * decides, a later one may say otherwise without effect on that attempt (HOOK-06).
 *
 * @throws InvalidModelSpecifierError for a value that is no text; Error for unknown or bad options (MODEL-07)
 */
export function useModel(model: string, options?: ModelOptions): void {
  const frame = frameOf('useModel');
  if (typeof model !== 'string' || model.trim() === '')
    throw new InvalidModelSpecifierError({ value: model });
  const choice = parseModelOptions(model, options);
  claim(frame, 'useModel');
  frame.model = choice;
}

const RULE: RuleCode = 'FLUE2401';

function parseModelOptions(specifier: string, options: unknown): ModelChoice {
  const { thinkingLevel, compaction } = fieldsOf<ModelOptions>(options, MODEL_OPTION_FIELDS, 'options');
  if (thinkingLevel !== undefined && !THINKING_LEVELS.includes(thinkingLevel)) {
    throw misuse(
      `useModel(): "${String(thinkingLevel)}" is no thinking level. Use one of ${THINKING_LEVELS.join(', ')}.`,
      RULE,
    );
  }
  return {
    specifier,
    thinkingLevel: thinkingLevel ?? DEFAULT_THINKING_LEVEL,
    compaction: parseCompaction(compaction, 'useModel()', RULE),
  };
}

/** The value as an object with known fields only; absent counts as empty. */
function fieldsOf<T extends object>(value: unknown, known: readonly string[], what: string): Partial<T> {
  if (value === undefined) return {};
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw misuse(`useModel(): ${what} must be an object.`, RULE);
  }
  const problem = unknownField(value, known);
  if (problem) throw misuse(`useModel(): ${what} ${problem}`, RULE);
  return value;
}
