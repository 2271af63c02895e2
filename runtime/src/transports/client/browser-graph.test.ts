import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { expect, it } from 'vitest';

it('the client loads no package, no node: module and no server code, and stays small (CLNT-01)', async () => {
  const root = fileURLToPath(new URL('../../../..', import.meta.url));
  const { metafile, outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: ['runtime/src/client.ts'],
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    metafile: true,
    write: false,
  });
  const files = Object.keys(metafile.inputs).filter(
    (path) => !path.startsWith('runtime/src/transports/client/'),
  );
  expect(files.sort()).toEqual([
    'runtime/src/app/agent-run-error.ts',
    'runtime/src/client.ts',
    // How changes apply to a conversation: pure, and the same on both ends (HIST-01).
    'runtime/src/conversation/metadata.ts',
    'runtime/src/conversation/projections/transcript.ts',
  ]);
  expect(Object.keys(metafile.inputs)).not.toContain('runtime/src/transports/client/in-process.ts');
  expect(Object.values(metafile.outputs).flatMap(({ imports }) => imports)).toEqual([]);
  expect(gzipSync(outputFiles[0]!.contents).byteLength).toBeLessThan(12 * 1024);
});
