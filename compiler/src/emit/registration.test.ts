import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { runFlue } from '../testing/run-flue.fixture.ts';
import { temporaryProject } from '../testing/temporary-project.fixture.ts';

const SOURCES = {
  'package.json': '{ "sideEffects": false }',
  'src/b.ts': "'use agent';\nexport function Orders() { return 'orders'; }\nOrders.agentName = 'b-desk';\n",
  'src/a.ts': "'use agent';\nconst Main = () => 'main';\nexport default Main;\nexport const helper = 1;\n",
};

/** Bundles the registration module as an application would, and evaluates the result. */
async function bundled(root: string) {
  const result = await build({
    stdin: {
      contents: "export { agents, manifestHash } from './.flue/agents.ts';",
      resolveDir: root,
    },
    bundle: true,
    minify: true,
    format: 'esm',
    write: false,
    absWorkingDir: root,
  });
  const code = result.outputFiles[0]?.text ?? '';
  return { code, module: await import(`data:text/javascript,${encodeURIComponent(code)}`) };
}

describe('the registration module', () => {
  it('keeps every agent through tree shaking, ascending by identity (REG-01, REG-04)', async () => {
    const root = temporaryProject(SOURCES);
    await runFlue(root, ['generate']);
    const { module } = await bundled(root);
    const entries = module.agents.map(({ identity, agent }: { identity: string; agent: () => string }) => [
      identity,
      agent(),
    ]);
    expect(entries).toEqual([
      ['Main', 'main'],
      ['b-desk', 'orders'],
    ]);
  });

  it('reads nothing when it is imported: it holds names and a hash (EMIT-07)', async () => {
    const root = temporaryProject(SOURCES);
    await runFlue(root, ['generate']);
    const { code, module } = await bundled(root);
    expect(module.manifestHash).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(code).not.toMatch(/process|Date|fetch|import\s*\(/);
  });
});
