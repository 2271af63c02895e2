import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Where rule folders lie, seen from the sources and from a build beside them. */
const RULE_FOLDERS = ['../analysis/rules/', '../../src/analysis/rules/'];

/** The README of a rule's folder, or `undefined` when this version has none. */
export function rulePage(code: string): string | undefined {
  return RULE_FOLDERS.map((folder) => readPage(fileURLToPath(new URL(folder, import.meta.url)), code)).find(
    (page) => page !== undefined,
  );
}

/** What the rule finds, in the words of its page: the paragraph before the first section. */
export function ruleDescription(code: string): string | undefined {
  const [introduction = ''] = (rulePage(code) ?? '').split(/^## /m, 1);
  const paragraph =
    introduction
      .trim()
      .split(/\n\s*\n/)
      .at(-1) ?? '';
  return /^(?:#|Severity:|$)/.test(paragraph) ? undefined : paragraph.replace(/\s+/g, ' ');
}

function readPage(folder: string, code: string): string | undefined {
  if (!existsSync(folder)) return undefined;
  const rule = readdirSync(folder).find((name) => name.startsWith(`${code.toLowerCase()}-`));
  const path = `${folder}${rule}/README.md`;
  return rule !== undefined && existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}
