import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type CorpusOptions, corpus } from '../../support/corpus.ts';

const MODULES = fileURLToPath(new URL('../../../node_modules', import.meta.url));
const TSCONFIG = {
  strict: true,
  module: 'nodenext',
  target: 'es2022',
  noEmit: true,
  skipLibCheck: true,
  allowImportingTsExtensions: true,
};

export type AgentProject = CorpusOptions;

/** Writes the corpus of the performance targets as a project, with the workspace's packages installed in it. */
export function writeAgentProject(folder: string, shape: AgentProject): void {
  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  put('package.json', JSON.stringify({ name: 'generated', private: true, type: 'module' }));
  put('tsconfig.json', JSON.stringify({ compilerOptions: TSCONFIG, include: ['src'] }));
  for (const [path, text] of Object.entries(corpus(shape))) put(path, text);
  symlinkSync(MODULES, join(folder, 'node_modules'));
}
