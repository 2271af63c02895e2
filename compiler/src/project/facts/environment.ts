import { join } from 'node:path';
import type { Range } from '../../analysis/program.ts';
import type { EnvironmentFile } from '../../analysis/project-facts.ts';
import { readdirSync, readFileSync } from '../disk.ts';
import { trackedFiles } from './git.ts';

const ENVIRONMENT = /^\.env(?:\..+)?$/;
const TEMPLATE = /\.(?:example|sample|template|dist)$/;
const ASSIGNMENT = /^[ \t]*(?:export[ \t]+)?[\w.-]+[ \t]*=[ \t]*(?<value>[^\s#].*?)[ \t]*$/gm;
const EMPTY = /^(?:""|'')$/;

/** The `.env` files that git tracks, every value blanked out before it goes anywhere (EFILE-03). */
export function trackedEnvironment(root: string): EnvironmentFile[] {
  const names = readdirSync(root).filter((name) => ENVIRONMENT.test(name) && !TEMPLATE.test(name));
  return [...trackedFiles(root, names)].sort().map((path) => {
    const written = readFileSync(join(root, path), 'utf8');
    const values = valuesOf(written);
    const text = values.reduce(
      (blanked, { start, end }) => blanked.slice(0, start) + '*'.repeat(end - start) + blanked.slice(end),
      written,
    );
    return { path, text, values };
  });
}

function valuesOf(text: string): Range[] {
  return [...text.matchAll(ASSIGNMENT)].flatMap((match) => {
    const value = match.groups?.value ?? '';
    if (EMPTY.test(value)) return [];
    const start = match.index + match[0].lastIndexOf(value);
    return [{ start, end: start + value.length }];
  });
}
