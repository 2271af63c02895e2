import { createHash } from 'node:crypto';
import * as v from 'valibot';
import { MANIFEST_VERSION, type Manifest, ManifestSchema, manifestHash } from '../contract/manifest.ts';
import { RUNTIME_VERSION } from '../contract/version.ts';
import { FlueError } from '../errors/flue-error.ts';

/** The file and what repairs it, for the log and the CLI (LOAD-03). */
function repair(path: string): string {
  return `${path}: run \`flue generate\` (or the build) again, so that the manifest is of the same version as what it describes.`;
}

/** Enough of a hash to recognize it. */
function short(hash: string): string {
  return hash.slice(0, 'sha256:'.length + 12);
}

/** Unknown version, or a runtime outside the range that understands it (LOAD-02). */
export class ManifestVersionError extends FlueError {
  constructor(
    path: string,
    o:
      | { readonly found: unknown; readonly supported: number }
      | { readonly requires: string; readonly runtime: string },
  ) {
    const message =
      'found' in o
        ? `The manifest has version ${String(o.found)}; this runtime reads version ${o.supported}.`
        : `The manifest requires a runtime ${o.requires}; this is ${o.runtime}.`;
    super({ type: 'manifest_version', message, dev: repair(path), meta: { ...o } });
  }
}

/** Not JSON, not of the schema, or changed after it was written (LOAD-02). */
export class ManifestInvalidError extends FlueError {
  constructor(o: {
    readonly path: string;
    readonly problem: string;
    readonly issues?: readonly { message: string; path: string }[];
  }) {
    super({
      type: 'manifest_invalid',
      message: `The manifest is not valid: ${o.problem}`,
      dev: repair(o.path),
      meta: { path: o.path, ...(o.issues && { issues: o.issues }) },
    });
  }
}

/** It describes another set of agents than the registered one (LOAD-02). */
export class ManifestStaleError extends FlueError {
  constructor(
    path: string,
    o:
      | { readonly expected: string; readonly found: string }
      | { readonly missing: readonly string[]; readonly extra: readonly string[] },
  ) {
    const message =
      'expected' in o
        ? `The registered agents belong to manifest ${short(o.expected)}; this one is ${short(o.found)}.`
        : `The manifest and the registered agents disagree: ${differences(o.missing, o.extra)}.`;
    super({ type: 'manifest_stale', message, dev: repair(path), meta: { ...o } });
  }
}

function differences(missing: readonly string[], extra: readonly string[]): string {
  const parts = [
    ...(missing.length > 0 ? [`it lacks ${missing.join(', ')}`] : []),
    ...(extra.length > 0 ? [`it describes ${extra.join(', ')}, not registered`] : []),
  ];
  return parts.join('; ');
}

/** A manifest as a host passes it: the parsed object, or its text with where it came from. */
export interface ManifestSource {
  readonly path: string;
  readonly text: string;
}

/** Everything that can be wrong with a manifest, checked before storage is opened (LOAD-02, LOAD-03). */
export function checkManifest(
  source: ManifestSource,
  o: { readonly identities: readonly string[]; readonly registrationHash?: string },
): Manifest {
  const manifest = parse(source);
  if (o.registrationHash !== undefined && o.registrationHash !== manifest.hash) {
    throw new ManifestStaleError(source.path, { expected: o.registrationHash, found: manifest.hash });
  }
  const described = manifest.agents.map((agent) => agent.identity);
  const missing = o.identities.filter((identity) => !described.includes(identity));
  const extra = described.filter((identity) => !o.identities.includes(identity));
  if (missing.length + extra.length > 0) throw new ManifestStaleError(source.path, { missing, extra });
  return manifest;
}

function parse({ path, text }: ManifestSource): Manifest {
  const invalid = (problem: string, issues?: { message: string; path: string }[]) =>
    new ManifestInvalidError({ path, problem, ...(issues && { issues }) });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw invalid(`it is not JSON (${(error as Error).message}).`);
  }
  if (typeof value !== 'object' || value === null) throw invalid('it is not a JSON object.');
  const { manifestVersion: found, requires, hash } = value as Record<string, unknown>;
  if (found !== MANIFEST_VERSION)
    throw new ManifestVersionError(path, { found, supported: MANIFEST_VERSION });
  if (typeof requires === 'string' && !satisfies(RUNTIME_VERSION, requires)) {
    throw new ManifestVersionError(path, { requires, runtime: RUNTIME_VERSION });
  }
  const parsed = v.safeParse(ManifestSchema, value);
  if (!parsed.success) {
    const issues = parsed.issues.map((issue) => ({
      message: issue.message,
      path: v.getDotPath(issue) ?? '',
    }));
    throw invalid('it does not match its schema.', issues.slice(0, 20));
  }
  const actual = manifestHash(value, (content) => createHash('sha256').update(content).digest('hex'));
  if (hash !== actual) throw invalid('its content does not match its hash.');
  return parsed.output;
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
