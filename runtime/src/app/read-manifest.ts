import { createHash } from 'node:crypto';
import * as v from 'valibot';
import {
  MANIFEST_SECTIONS,
  MANIFEST_VERSION,
  type Manifest,
  ManifestSchema,
  manifestHash,
} from '../contract/manifest.ts';
import { matches } from '../contract/matches.ts';
import { RUNTIME_VERSION } from '../contract/version.ts';
import { ManifestInvalidError, ManifestVersionError } from './manifest-errors.ts';

/** A manifest as a host passes it: the parsed object, or its text with where it came from. */
export interface ManifestSource {
  readonly path: string;
  readonly text: string;
}

type Json = Readonly<Record<string, unknown>>;

/** What makes a manifest of one version the next one's, by the version that it takes (LOAD-04). There is one version yet. */
export type Migrations = Readonly<Record<number, (older: Json) => Json>>;
const MIGRATIONS: Migrations = {};

/** A manifest of this version, and the optional sections that were not in it (LOAD-04). */
export interface ReadManifest {
  readonly manifest: Manifest;
  readonly lacking: readonly (typeof MANIFEST_SECTIONS)[number][];
}

/** Whether it is JSON, of a known version and a runtime that it is for, as it was written, and of its schema (LOAD-02). */
export function readManifest(source: ManifestSource, migrations: Migrations = MIGRATIONS): ReadManifest {
  const written = parse(source);
  const { manifestVersion: found, requires } = written;
  if (!isReadable(found, migrations))
    throw new ManifestVersionError(source.path, { found, supported: MANIFEST_VERSION });
  if (typeof requires === 'string' && !satisfies(RUNTIME_VERSION, requires))
    throw new ManifestVersionError(source.path, { requires, runtime: RUNTIME_VERSION });
  let current = written;
  for (let version = found; version < MANIFEST_VERSION; version++) current = migrations[version]!(current);
  const lacking = MANIFEST_SECTIONS.filter((section) => current[section] === undefined);
  const manifest = checkShape(source, current);
  if (!isAsWritten(source.text, written))
    throw new ManifestInvalidError({ path: source.path, problem: 'its content does not match its hash.' });
  return { manifest, lacking };
}

function parse({ path, text }: ManifestSource): Json {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new ManifestInvalidError({ path, problem: `it is not JSON (${(error as Error).message}).` });
  }
  if (typeof value !== 'object' || value === null)
    throw new ManifestInvalidError({ path, problem: 'it is not a JSON object.' });
  return value as Json;
}

function isReadable(found: unknown, migrations: Migrations): found is number {
  if (found === MANIFEST_VERSION) return true;
  if (!Number.isInteger(found) || (found as number) > MANIFEST_VERSION) return false;
  for (let version = found as number; version < MANIFEST_VERSION; version++)
    if (!migrations[version]) return false;
  return true;
}

/** The schema itself is asked only for what is wrong: it takes several times as long (LOAD-06). */
function checkShape({ path }: ManifestSource, value: Json): Manifest {
  const whole = { ...EMPTY_SECTIONS, ...value };
  if (matches(ManifestSchema, whole)) return whole;
  const parsed = v.safeParse(ManifestSchema, value);
  if (parsed.success) return parsed.output;
  const issues = parsed.issues.map((issue) => ({ message: issue.message, path: v.getDotPath(issue) ?? '' }));
  throw new ManifestInvalidError({
    path,
    problem: 'it does not match its schema.',
    issues: issues.slice(0, 20),
  });
}

const EMPTY_SECTIONS = Object.fromEntries(MANIFEST_SECTIONS.map((section) => [section, []]));

/** Its hash, over the text as the compiler wrote it or, where a tool has reprinted that, over its canonical form. */
function isAsWritten(text: string, value: Json): boolean {
  if (value.hash === hashOfDescription(text)) return true;
  return value.hash === manifestHash(value, (content) => createHash('sha256').update(content).digest('hex'));
}

/** Over the text without the two lines that do not describe the application, which are those of the outermost object. */
function hashOfDescription(text: string): string {
  const hash = createHash('sha256');
  let from = 0;
  for (const key of ['$generated', 'hash']) {
    const line = text.indexOf(`\n  "${key}": `, from) + 1;
    if (line === 0) continue;
    hash.update(text.slice(from, line));
    from = text.indexOf('\n', line) + 1;
  }
  return `sha256:${hash.update(text.slice(from)).digest('hex')}`;
}

/** The ranges that the compiler writes: `>=a.b.c <d.e.f`, and `^a.b.c`. Anything else is not for this runtime to refuse. */
function satisfies(version: string, range: string): boolean {
  return range.split(/\s+/).every((part) => {
    const match = /^(\^|>=|<)(\d+)\.(\d+)\.(\d+)$/.exec(part);
    if (!match) return true;
    const [, operator, ...numbers] = match;
    const bound = numbers.map(Number);
    const own = version.split('.').map(Number);
    if (operator === '<') return compare(own, bound) < 0;
    if (operator === '>=') return compare(own, bound) >= 0;
    const next = bound[0]! > 0 ? [bound[0]! + 1, 0, 0] : [0, bound[1]! + 1, 0];
    return compare(own, bound) >= 0 && compare(own, next) < 0;
  });
}

function compare(a: readonly number[], b: readonly number[]): number {
  return a[0]! - b[0]! || a[1]! - b[1]! || a[2]! - b[2]!;
}
