import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packageManifest, published, root } from './workspace.ts';

const entries = published.flatMap((folder) => {
  const { name, exports = {} } = packageManifest(folder);
  return Object.entries(exports).map(([entry, target]) => ({ folder, target, id: name + entry.slice(1) }));
});
const modules = entries.filter(({ target }) => typeof target !== 'string');

describe('a built package', () => {
  it.each(entries)('$id: every target of its export exists, types included', ({ folder, target }) => {
    const files = typeof target === 'string' ? [target] : [target.types ?? '(no types)', target.default];
    for (const file of files) expect(existsSync(join(root, folder, file)), `${folder}: ${file}`).toBe(true);
  });
});

/** What a registry would hand out: manifests and `dist`, and not one source file to fall back on. */
describe('without its sources', () => {
  const shipped = mkdtempSync(join(tmpdir(), 'flue-shipped-'));

  beforeAll(() => {
    const scope = join(shipped, 'node_modules/@flue');
    mkdirSync(scope, { recursive: true });
    for (const folder of published) {
      const { name } = packageManifest(folder);
      for (const part of ['package.json', 'dist', 'bin', 'manifest.schema.json']) {
        const source = join(root, folder, part);
        if (existsSync(source))
          cpSync(source, join(shipped, 'node_modules', name, part), { recursive: true });
      }
    }
    linkDependencies(join(root, 'node_modules'), join(shipped, 'node_modules'));
  });

  afterAll(() => rmSync(shipped, { recursive: true, force: true }));

  it.each(modules)('$id can be imported by plain node', ({ id }) => {
    const program = `const entry = await import('${id}'); console.log(Object.keys(entry).length);`;
    const exported = Number(evaluate(program));
    expect(exported).toBeGreaterThan(0);
  });

  it('the command answers', () => {
    const flue = join(shipped, 'node_modules/@flue/compiler', packageManifest('compiler').bin?.flue ?? '');
    const version = execFileSync(process.execPath, [flue, '--version'], { cwd: shipped, encoding: 'utf8' });
    expect(version).toContain(packageManifest('compiler').version);
  });

  it('the editor plugin can be required and hands tsserver a factory', () => {
    const plugin = createRequire(join(shipped, 'index.cjs'))('@flue/ts-plugin');
    expect(plugin).toBeTypeOf('function');
  });

  function evaluate(program: string): string {
    return execFileSync(process.execPath, ['--input-type=module', '--eval', program], {
      cwd: shipped,
      encoding: 'utf8',
      env: { ...process.env, NODE_OPTIONS: '' },
    });
  }
});

/** Everything that is installed except the workspace itself. */
function linkDependencies(from: string, to: string): void {
  for (const name of readdirSync(from)) {
    if (name.startsWith('.') || name.startsWith('@flue')) continue;
    symlinkSync(join(from, name), join(to, name), 'dir');
  }
}
