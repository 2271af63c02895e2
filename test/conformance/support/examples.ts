import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Rule } from '@flue/compiler/analysis';

/** One example of a rule's folder, read as data: a project of one or several files. */
export interface Example {
  /** `FLUE2101 bad-1` */
  readonly title: string;
  readonly isBad: boolean;
  /** the worst severity that a bad example expects of its rule */
  readonly severity: string | undefined;
  /** by project path */
  readonly files: Readonly<Record<string, string>>;
}

const RULES = fileURLToPath(new URL('../../../compiler/src/analysis/rules/', import.meta.url));

/** The examples of a rule, none when its folder builds them in its test. */
export function examplesOf({ code, name }: Rule): Example[] {
  const folder = join(RULES, `${code.toLowerCase()}-${name}`, 'examples');
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map((entry) => {
      const path = join(folder, entry.name);
      const { files, marks } = entry.isDirectory() ? readFolder(path) : readSingle(path, entry.name);
      const severities = [...marks.matchAll(new RegExp(`${code} (error|warning|info|hint)`, 'g'))];
      return {
        title: `${code} ${entry.name.replace(/\.ts$/, '')}`,
        isBad: entry.name.startsWith('bad'),
        severity: ['error', 'warning', 'info', 'hint'].find((level) =>
          severities.some(([, severity]) => severity === level),
        ),
        files,
      };
    });
}

interface Read {
  readonly files: Readonly<Record<string, string>>;
  /** the text that holds what the example expects */
  readonly marks: string;
}

function readSingle(path: string, name: string): Read {
  const text = readFileSync(path, 'utf8');
  return { files: { [`src/${name}`]: text }, marks: text };
}

function readFolder(folder: string): Read {
  const files: Record<string, string> = {};
  let marks = '';
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const text = readFileSync(path, 'utf8');
    if (entry.name === 'expected.txt') marks = text;
    else files[path.slice(folder.length + 1).replaceAll('\\', '/')] = text;
  }
  return { files, marks };
}
