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
