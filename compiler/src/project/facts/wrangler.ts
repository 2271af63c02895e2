import { join } from 'node:path';
import type ts from 'typescript';
import type { TypeScript } from '../../analysis/host.ts';
import type { Migration, WranglerFact } from '../../analysis/project-facts.ts';
import { existsSync, readFileSync } from '../disk.ts';

/** The authored wrangler configuration, where it is JSON that can be read (CF-105). */
export function wranglerFact(api: TypeScript, root: string): WranglerFact | undefined {
  const path = ['wrangler.jsonc', 'wrangler.json'].find((name) => existsSync(join(root, name)));
  if (path === undefined) return undefined;
  const text = readFileSync(join(root, path), 'utf8');
  const { config, error } = api.parseConfigFileTextToJson(path, text);
  if (error !== undefined || typeof config !== 'object' || config === null) return undefined;
  const migrations = Array.isArray(config.migrations) ? config.migrations : [];
  return { path, text, migrations: migrations.map(toMigration), end: endOfList(api, path, text) };
}

/** `new_classes` and `transferred_classes` introduce a class as well; a renaming does both (FLUE5012). */
function toMigration(entry: Record<string, unknown>): Migration {
  const list = (key: string): unknown[] => (Array.isArray(entry?.[key]) ? (entry[key] as unknown[]) : []);
  const names = (key: string) => list(key).filter((name) => typeof name === 'string');
  const pairs = (key: string, end: 'from' | 'to') =>
    list(key).flatMap((pair) => {
      const name = (pair as Record<string, unknown> | null)?.[end];
      return typeof name === 'string' ? [name] : [];
    });
  return {
    introduces: [
      ...names('new_sqlite_classes'),
      ...names('new_classes'),
      ...pairs('renamed_classes', 'to'),
      ...pairs('transferred_classes', 'to'),
    ],
    removes: [...names('deleted_classes'), ...pairs('renamed_classes', 'from')],
  };
}

/** Behind the last entry of the list, or behind its opening bracket. */
function endOfList(api: TypeScript, path: string, text: string): number | undefined {
  const root = api.parseJsonText(path, text).statements[0]?.expression;
  if (root === undefined || !api.isObjectLiteralExpression(root)) return undefined;
  const property = root.properties.find(
    (each): each is ts.PropertyAssignment =>
      api.isPropertyAssignment(each) && api.isStringLiteral(each.name) && each.name.text === 'migrations',
  );
  const list = property?.initializer;
  if (list === undefined || !api.isArrayLiteralExpression(list)) return undefined;
  return list.elements.at(-1)?.end ?? list.elements.pos;
}
