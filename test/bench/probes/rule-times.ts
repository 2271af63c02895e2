import { loadProject, openCompiler } from '@flue/compiler';

/* Milliseconds of each rule in one cold check, and of the whole. */
const { project } = await loadProject({ root: process.argv[2] as string });
const compiler = await openCompiler(project);
const rules: Record<string, number> = {};
const began = performance.now();
compiler.compile({
  surroundings: { frozen: false },
  aroundRule(code, run) {
    const started = performance.now();
    try {
      run();
    } finally {
      rules[code] = (rules[code] ?? 0) + performance.now() - started;
    }
  },
});
console.log(JSON.stringify({ whole: performance.now() - began, rules }));
