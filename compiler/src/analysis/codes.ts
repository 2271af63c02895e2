import { isRuleCode, RULES } from '@flue/runtime/internal';

/** The code that a suppression or the configuration names, by code or by name. */
export function codeOf(codeOrName: string): string | undefined {
  if (isRuleCode(codeOrName)) return codeOrName;
  return Object.keys(RULES).find((code) => RULES[code as keyof typeof RULES] === codeOrName);
}
