import { suggestion } from '@flue/runtime/config';
import { RULES } from '@flue/runtime/internal';
import type { Io } from './io.ts';
import { rulePage } from './rule-page.ts';
import { UsageError } from './usage-error.ts';

/** Prints a rule's page (RULE-33); the rule is named by code or by name. */
export function explainRule(rule: string, io: Io): number {
  const entry = Object.entries(RULES).find(([code, name]) => code === rule.toUpperCase() || name === rule);
  if (entry === undefined) {
    const known = [...Object.keys(RULES), ...Object.values(RULES)];
    throw new UsageError(`--explain: there is no rule "${rule}"${suggestion(rule, known)}`);
  }
  const [code, name] = entry;
  const page = rulePage(code);
  io.out(page ?? `${code} ${name}: this version of the compiler does not check it yet.\n`);
  return 0;
}
