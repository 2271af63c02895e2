import type { RuleCode } from '../../contract/codes.ts';
import { COMPACTION_FIELDS } from '../../contract/names.ts';
import { misuse } from '../../errors/flue-error.ts';
import { unknownField } from '../../errors/unknown-field.ts';
import { InvalidModelSpecifierError } from '../../ports/model-errors.ts';

/** Unset fields take the defaults of CMP-02 and CMP-07. */
export interface CompactionConfig {
  /** tokens kept free for the reply; positive integer */
  reserveTokens?: number;
  /** tokens of recent conversation kept; integer, 0 keeps only what the response in progress needs */
  keepRecentTokens?: number;
  /** specifier of the summarizing model */
  model?: string;
}

/**
 * Checks what was given for `compaction` and returns a copy; absent counts as empty (CMP-01, MODEL-07).
 *
 * @param where the call or the definition that holds it, for messages
 */
export function parseCompaction(value: unknown, where: string, rule: RuleCode): false | CompactionConfig {
  if (value === false) return false;
  if (value === undefined) return {};
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw misuse(`${where}: compaction must be an object.`, rule);
  }
  const problem = unknownField(value, COMPACTION_FIELDS);
  if (problem) throw misuse(`${where}: compaction ${problem}`, rule);
  const { reserveTokens, keepRecentTokens, model }: CompactionConfig = value;
  if (reserveTokens !== undefined && !isInteger(reserveTokens, 1)) {
    throw misuse(`${where}: compaction.reserveTokens must be a positive integer.`, rule);
  }
  if (keepRecentTokens !== undefined && !isInteger(keepRecentTokens, 0)) {
    throw misuse(`${where}: compaction.keepRecentTokens must be an integer of at least 0.`, rule);
  }
  if (model !== undefined && (typeof model !== 'string' || model.trim() === '')) {
    throw new InvalidModelSpecifierError({ value: model });
  }
  return { ...value };
}

function isInteger(value: unknown, least: number): boolean {
  return Number.isSafeInteger(value) && (value as number) >= least;
}
