import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { init } from '@flue/runtime';
import { sqlite, start } from '@flue/runtime/node';
import { costOf, inFlight } from '../support/measurement.ts';
import { Orders, playAnswers } from '../support/orders.ts';

/* What `peers/settle.mjs` does, here: how many at a time, milliseconds to warm up, how many are timed. */
const [width, warmUpMs, count] = process.argv.slice(2).map(Number) as [number, number, number];

const folder = mkdtempSync(join(tmpdir(), 'flue-bench-'));
playAnswers();
const flue = await start({ agents: [Orders], db: sqlite(join(folder, 'flue.db')) });
try {
  const warm = performance.now() + warmUpMs;
  while (performance.now() < warm) await ask(width, `warm-up ${performance.now()}`);
  console.log(JSON.stringify(await costOf(() => ask(count, 'timed'))));
} finally {
  await flue.stop({ timeoutMs: 100 });
  rmSync(folder, { recursive: true, force: true });
}

function ask(times: number, name: string): Promise<void> {
  return inFlight(times, width, async (index) => {
    const { text } = await init(Orders, { id: `${name}-${index}` }).dispatch('Where is order 7?');
    if (!text.includes('Friday')) throw new Error(`the model answered "${text}"`);
  });
}
