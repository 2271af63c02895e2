/**
 * What `npm start` shows: this application compiled, checked, built, booted on a SQLite file, and one conversation
 * with it over HTTP. Ends with exit code 0 and leaves nothing running.
 */
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ask, readTranscript } from './start/conversation.mjs';
import { bold, dim, printBlock, printSection, printTranscript } from './start/print.mjs';
import { runStep, StepFailed } from './start/run-step.mjs';
import { bootServer } from './start/server.mjs';

const QUESTION = 'Where is order 1042?';

const here = dirname(fileURLToPath(import.meta.url));
const require = createRequire(import.meta.url);
const flue = join(dirname(require.resolve('@flue/compiler/package.json')), 'bin/flue.js');
const vite = join(dirname(require.resolve('vite/package.json')), 'bin/vite.js');

try {
  await main();
} catch (error) {
  const failure = error instanceof StepFailed ? error : unexpected(error);
  console.error(`\n${failure.message}`);
  process.exitCode = 1;
}

async function main() {
  const database = join(here, '.data/start.db');

  printSection('Compile', 'what the agents are, read from their source');
  await runStep({ script: flue, args: ['generate', '--cwd', here], remedy: 'Correct what is named above.' });

  printSection('Check', 'what would go wrong at run time, before it runs');
  await runStep({ script: flue, args: ['check', '--cwd', here], remedy: 'Correct what is named above.' });

  printSection('Build', 'one server, out of the application and its agents');
  await runStep({
    script: vite,
    args: ['build', '--logLevel', 'warn'],
    cwd: here,
    remedy: 'Correct what is named above, or see vite.config.ts.',
    quiet: 'dist/server.mjs',
  });

  const server = await bootServer({ artifact: join(here, 'dist/server.mjs'), cwd: here, database });
  try {
    printSection('Talk', `${server.url}/agents/orders`);
    const conversation = `${server.url}/agents/orders/visitor-1`;
    const settlement = await ask(conversation, QUESTION);
    printTranscript(await readTranscript(conversation), settlement);
  } catch (error) {
    printBlock(server.log());
    throw error;
  } finally {
    await server.stop();
  }

  printSection('Look next', 'the server has stopped; everything below is still there');
  const from = (path) => relative(process.cwd(), join(here, path)) || '.';
  const places = [
    [from('.flue/manifest.json'), 'what the compiler knows about each agent'],
    [from('.data/start.db'), 'the conversation, as records in SQLite'],
    [from('src/agents/order-assistant.ts'), 'the agent: change a line and start again'],
    ['README.md', 'how to go on'],
  ];
  const width = Math.max(...places.map(([path]) => path.length));
  for (const [path, what] of places) console.log(`  ${bold(path.padEnd(width))}  ${dim(what)}`);
  console.log();
}

function unexpected(error) {
  const at =
    String(error?.stack)
      .split('\n')
      .find((line) => line.includes('file:'))
      ?.trim() ?? here;
  return new StepFailed(
    error?.message ?? String(error),
    at,
    'This demonstration itself is at fault; please report it.',
  );
}
