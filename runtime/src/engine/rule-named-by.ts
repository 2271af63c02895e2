import { isRuleCode, type RuleCode } from '../contract/codes.ts';
import { FlueError } from '../errors/flue-error.ts';
import { errorText } from './tools/error-text.ts';

/** The rule that would have found a failure ahead of time: a typed one holds it, misuse names it at its end (ERR-12). */
export function ruleNamedBy(error: unknown): RuleCode | undefined {
  const code = FlueError.is(error) ? error.meta?.rule : /\((FLUE\d{4})\)$/.exec(errorText(error))?.[1];
  return typeof code === 'string' && isRuleCode(code) ? code : undefined;
}
