import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type LockFile, packageManifest, readJson, root } from './workspace.ts';

const examples = readdirSync(join(root, 'examples')).map((name) => `examples/${name}`);
const members = ['runtime', 'compiler', 'unplugin', 'ts-plugin', 'test', ...examples];
const versions = new Map(
  members.map((folder) => [packageManifest(folder).name, packageManifest(folder).version]),
);

describe('the lock file', () => {
  const { packages } = readJson<LockFile>('package-lock.json');
  const ours = Object.entries(packages).filter(([path]) =>
    /(^|\/)node_modules\/@flue(-examples)?\//.test(path),
  );

  it('links every workspace package', () => {
    const linked = ours.map(([path]) => path.replace('node_modules/', ''));
    expect(linked.sort()).toEqual([...versions.keys()].sort());
  });

  it('takes none of our names from a registry, where others own them', () => {
    for (const [path, entry] of ours) {
      expect(entry.link, path).toBe(true);
      expect(members, path).toContain(entry.resolved);
    }
  });

  it('is what is installed', () => {
    for (const folder of members) {
      const { name } = packageManifest(folder);
      expect(realpathSync(join(root, 'node_modules', name))).toBe(join(root, folder));
    }
  });
});

describe('workspace packages', () => {
  it.each(members)('%s names its siblings with their exact versions', (folder) => {
    const { dependencies, devDependencies, peerDependencies } = packageManifest(folder);
    const siblings = Object.entries({ ...dependencies, ...devDependencies, ...peerDependencies }).filter(
      ([name]) => name.startsWith('@flue'),
    );
    for (const [name, range] of siblings) expect(range, name).toBe(versions.get(name));
  });

  it.each(members)('%s asks for exact versions of what it takes from a registry', (folder) => {
    const { dependencies, devDependencies } = packageManifest(folder);
    for (const [name, range] of Object.entries({ ...dependencies, ...devDependencies })) {
      // An alias names another package, at an exact version all the same.
      expect(range, name).toMatch(/^(npm:(@[\w-]+\/)?[\w-]+@)?\d+\.\d+\.\d+$/);
    }
  });
});

describe('the flue command', () => {
  const launcher = packageManifest('compiler').bin?.flue ?? '';

  it('is a committed, executable file, so that an install of the unbuilt workspace links it', () => {
    const [mode] = execFileSync('git', ['ls-files', '--stage', join('compiler', launcher)], {
      cwd: root,
      encoding: 'utf8',
    }).split(' ', 1);
    expect(mode).toBe('100755');
  });

  it('is linked where npx looks', () => {
    expect(realpathSync(join(root, 'node_modules/.bin/flue'))).toBe(join(root, 'compiler', launcher));
  });
});

describe('the README', () => {
  const readme = readFileSync(join(root, 'README.md'), 'utf8');
  const { scripts = {} } = packageManifest('.');

  it('shows both commands of a fresh clone', () => {
    expect(readme).toContain('npm start');
    expect(readme).toContain('npm test');
  });

  it('names no npm script that does not exist', () => {
    const named = [...readme.matchAll(/\bnpm (?:run ([\w:-]+)|(start|test))/g)].map(
      ([, script, plain]) => script ?? plain,
    );
    for (const script of named) expect(scripts, script).toHaveProperty([script ?? '']);
  });

  it.each(['README.md', 'CONTRIBUTING.md'])('%s links to files that exist', (page) => {
    const text = readFileSync(join(root, page), 'utf8');
    const links = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, target]) => target ?? '');
    for (const target of links) expect(() => realpathSync(join(root, target)), target).not.toThrow();
  });
});
