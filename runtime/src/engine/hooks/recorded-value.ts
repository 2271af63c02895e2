import type { RuleCode } from '../../contract/codes.ts';
import { misuse } from '../../errors/flue-error.ts';
import type { JsonValue } from '../../ports/model-shapes.ts';
import { NotJsonError, snapshotJson } from '../json-value.ts';

/**
 * What a writer stores of the value it was given: a detached JSON copy (JSON-01, JSON-02). `writer` opens the message;
 * `rules` name the compiler's rules for the two faults that are told apart.
 *
 * @param unset what to do instead of writing `undefined`
 */
export function recordedValue(
  writer: string,
  value: unknown,
  unset: string,
  rules: { readonly unset?: RuleCode; readonly notJson?: RuleCode } = {},
): JsonValue {
  if (value === undefined) throw misuse(`${writer} got undefined. ${unset}`, rules.unset);
  try {
    return snapshotJson(value, 'value');
  } catch (error) {
    if (error instanceof NotJsonError) {
      throw misuse(`${writer}: ${error.message}`, rules.notJson, { cause: error });
    }
    throw error;
  }
}
