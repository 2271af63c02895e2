import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

/** What a module loads, itself and transitively: type-only imports are gone at run time. */
function modulesBelow(entry: URL, files = new Set<string>(), packages = new Set<string>()) {
  if (files.has(entry.href)) return { files, packages };
  files.add(entry.href);
  const source = readFileSync(entry, 'utf8');
  for (const [, keyword, specifier] of source.matchAll(
    /^(import|export)(?! type)[^;]*? from '([^']+)';/gms,
  )) {
    if (!keyword || !specifier) continue;
    if (specifier.startsWith('.')) modulesBelow(new URL(specifier, entry), files, packages);
    else packages.add(specifier);
  }
  return { files, packages };
}

describe('the entry for tools', () => {
  it('loads neither the model layer nor a platform module (TOOL-01)', () => {
    const { files, packages } = modulesBelow(new URL('tool.ts', import.meta.url));
    expect([...files].some((file) => file.endsWith('/engine/tools/run-call.ts'))).toBe(true);
    expect([...packages].sort()).toEqual(['@valibot/to-json-schema', 'valibot']);
    expect([...files].filter((file) => /\/(adapters|app|submissions|conversation)\//.test(file))).toEqual([]);
  });
});
