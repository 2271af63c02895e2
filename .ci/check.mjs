/** `npm run check`: everything that judges the workspace without running it. All steps run, whatever the others say. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { root } from './workspace.mjs';

const bin = (path) => join(root, 'node_modules', path);
const cruised = ['runtime/src', 'compiler/src', 'unplugin/src', 'ts-plugin/src', 'examples', 'test'];

const steps = [
  { name: 'types', asks: 'Does everything type-check?', args: [bin('typescript/bin/tsc'), '-b'] },
  {
    name: 'style',
    asks: 'Lint and format (`npm run format` repairs most of it)',
    args: [bin('@biomejs/biome/bin/biome'), 'check', '.', '--error-on-warnings', '--max-diagnostics=50'],
  },
  {
    name: 'dead code',
    asks: 'Files, exports and dependencies that nothing uses',
    args: [bin('knip/bin/knip.js'), '--config', '.knip.json', '--no-progress'],
  },
  {
    name: 'arrows',
    asks: 'Imports against the layers, circles of values',
    args: [
      bin('dependency-cruiser/bin/dependency-cruise.mjs'),
      ...cruised,
      '--config',
      '.dependency-cruiser.cjs',
      '--output-type',
      'err-long',
    ],
  },
];

const results = await Promise.all(steps.map(judge));

for (const { step, output, code } of results) {
  if (code !== 0) process.stdout.write(`\n── ${step.name}: ${step.asks}\n\n${output.trim()}\n`);
}
process.stdout.write('\n');
for (const { step, seconds, code } of results) {
  const verdict = code === 0 ? 'ok' : 'FAILED';
  process.stdout.write(`${step.name.padEnd(12)}${verdict.padEnd(8)}${seconds.toFixed(1).padStart(6)} s\n`);
}
process.exitCode = results.every(({ code }) => code === 0) ? 0 : 1;

function judge(step) {
  const startedAt = performance.now();
  const env = { ...process.env, ...(process.stdout.isTTY && { FORCE_COLOR: '1' }) };
  return new Promise((resolve) => {
    const child = spawn(process.execPath, step.args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    const collect = (chunk) => {
      output += chunk;
    };
    child.stdout.setEncoding('utf8').on('data', collect);
    child.stderr.setEncoding('utf8').on('data', collect);
    child.on('error', (error) => collect(`${step.name} could not start: ${error.message}\n`));
    child.on('close', (code) =>
      resolve({ step, output, code: code ?? 1, seconds: (performance.now() - startedAt) / 1000 }),
    );
  });
}
