import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { npmInstall } from './peer.ts';

const run = promisify(execFile);

/** What other tools over the same sources are, in the versions that the targets speak of. */
const PACKAGES = {
  typescript: '6.0.3',
  'typescript-7': 'npm:typescript@7.0.2',
  eslint: '9.39.5',
  'eslint-plugin-react-hooks': '7.1.1',
  '@typescript-eslint/parser': '8.74.0',
};

const ESLINT_CONFIG = `import parser from '@typescript-eslint/parser';
import hooks from 'eslint-plugin-react-hooks';

export default [
  {
    files: ['**/*.ts'],
    languageOptions: { parser },
    plugins: { 'react-hooks': hooks },
    rules: { 'react-hooks/rules-of-hooks': 'error' },
  },
];
`;

/** One run of a tool over a project, as a process. */
export interface Cost {
  readonly wall: number;
  /** peak resident memory in MB; 0 where the tool is no Node program */
  readonly memory: number;
}

export interface Tools {
  flue(project: string, ...args: readonly string[]): Promise<Cost>;
  tsc6(project: string): Promise<Cost>;
  tsc7(project: string): Promise<Cost>;
  eslint(project: string): Promise<Cost>;
}

const flueBin = join(
  dirname(createRequire(import.meta.url).resolve('@flue/compiler/package.json')),
  'bin/flue.js',
);

/** Installs the peers once into a temporary folder: nobody but the bench may depend on them. */
export async function openTools(scratch: string): Promise<Tools> {
  const folder = join(tmpdir(), 'flue-bench-compilers-1');
  if (!existsSync(join(folder, 'node_modules/eslint'))) await npmInstall(folder, PACKAGES);
  writeFileSync(join(folder, 'eslint.config.mjs'), ESLINT_CONFIG);
  const measure = openMeter(scratch);
  const installed = (path: string) => join(folder, 'node_modules', path);
  return {
    flue: (project, ...args) => measure(flueBin, [...args, '--cwd', project], project),
    tsc6: (project) => measure(installed('typescript/bin/tsc'), ['--noEmit', '-p', project], project),
    tsc7: async (project) => ({
      ...(await measure(installed('typescript-7/bin/tsc'), ['--noEmit', '-p', project], project)),
      memory: 0,
    }),
    eslint: (project) =>
      measure(installed('eslint/bin/eslint.js'), ['-c', join(folder, 'eslint.config.mjs'), 'src'], project),
  };
}

/** Runs Node programs and tells what they cost. */
export function openMeter(
  scratch: string,
  nodeArgs: readonly string[] = [],
): (program: string, args: readonly string[], cwd: string) => Promise<Cost> {
  mkdirSync(scratch, { recursive: true });
  const hook = join(scratch, 'tell-memory.cjs');
  writeFileSync(hook, TELL_MEMORY);
  return async (program, args, cwd) => {
    const began = performance.now();
    // A tool that finds something exits with 1, which is no failure of the measurement.
    const { stderr } = await run(process.execPath, [...nodeArgs, '--require', hook, program, ...args], {
      cwd,
      maxBuffer: 256 * 1024 * 1024,
    }).catch((error: { code?: unknown; stderr: string }) => {
      if (error.code !== 1) throw error;
      return error;
    });
    const memory = Number(/^peak-memory (\d+)$/m.exec(stderr)?.[1] ?? 0) / 1024;
    return { wall: performance.now() - began, memory };
  };
}

/** Every Node program tells at its end what it needed; the last line is that of the outermost process. */
const TELL_MEMORY = `process.on('exit', () => {
  require('node:fs').writeSync(2, 'peak-memory ' + process.resourceUsage().maxRSS + '\\n');
});
`;
