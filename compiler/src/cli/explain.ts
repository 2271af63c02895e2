import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { suggestion } from '@flue/runtime/config';
import { RULES } from '@flue/runtime/internal';
import type { Io } from './io.ts';
import { UsageError } from './usage-error.ts';

/** Where rule folders lie, seen from the sources and from a build beside them. */
const RULE_FOLDERS = ['../analysis/rules/', '../../src/analysis/rules/'];

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

function rulePage(code: string): string | undefined {
  for (const folder of RULE_FOLDERS) {
    const path = fileURLToPath(new URL(folder, import.meta.url));
    const rule =
      existsSync(path) && readdirSync(path).find((name) => name.startsWith(`${code.toLowerCase()}-`));
    if (rule && existsSync(`${path}${rule}/README.md`))
      return readFileSync(`${path}${rule}/README.md`, 'utf8');
  }
  return undefined;
}
