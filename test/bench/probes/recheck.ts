import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadProject, openCompiler } from '@flue/compiler';

/* Checks a project once and then again after each of some edits, in one process that keeps what it knows. */
const [root, edits] = [process.argv[2] as string, Number(process.argv[3])];
const { project } = await loadProject({ root });
const compiler = await openCompiler(project);
const timed = () => {
  const began = performance.now();
  compiler.compile({ surroundings: { frozen: false } });
  return performance.now() - began;
};

const cold = timed();
const path = 'src/tools/tool-3.ts';
const again = Array.from({ length: edits + 2 }, () => {
  appendFileSync(join(root, path), '// edited\n');
  compiler.edited([path]);
  return timed();
});
// The first ones are still being compiled by the engine that runs them.
console.log(JSON.stringify({ cold, edits: again.slice(2) }));
