import type { Manifest } from '../contract/manifest.ts';
import { ManifestStaleError } from './manifest-errors.ts';
import { type ManifestSource, readManifest } from './read-manifest.ts';

/**
 * Everything that can be wrong with a manifest, checked before storage is opened (LOAD-02, LOAD-03). `note` takes a line
 * for the log about what it lacks, which is no fault (LOAD-04).
 */
export function checkManifest(
  source: ManifestSource,
  o: {
    readonly identities: readonly string[];
    readonly registrationHash?: string;
    readonly note?: (message: string) => void;
  },
): Manifest {
  const { manifest, lacking } = readManifest(source);
  if (o.registrationHash !== undefined && o.registrationHash !== manifest.hash)
    throw new ManifestStaleError(source.path, { expected: o.registrationHash, found: manifest.hash });
  const registered = new Set(o.identities);
  const described = new Set(manifest.agents.map((agent) => agent.identity));
  const missing = o.identities.filter((identity) => !described.has(identity));
  const extra = [...described].filter((identity) => !registered.has(identity));
  if (missing.length + extra.length > 0) throw new ManifestStaleError(source.path, { missing, extra });
  if (lacking.length > 0)
    o.note?.(`The manifest has no ${lacking.join(', ')}; what would show them has nothing to show.`);
  return manifest;
}
