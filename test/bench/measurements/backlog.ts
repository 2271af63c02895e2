import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { dispatch, init } from '@flue/runtime';
import { sqlite, start } from '@flue/runtime/node';
import { scriptModel } from '@flue/runtime/testing';
import { withFolder } from '../support/folder.ts';
import { inFlight, lineOf, type Measurement } from '../support/measurement.ts';
import { Orders, playSilence } from '../support/orders.ts';

const ROUNDS = 3;
const FEW = 10;

/** A boot on a file in which very many submissions wait, each of an instance of its own, next to one with a few. */
export const backlog: Measurement = {
  name: 'backlog',
  async run({ long }) {
    const many = long ? 10_000 : 2_000;
    const rounds: { many: Boot; few: Boot }[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      rounds.push({ many: await bootWith(many), few: await bootWith(FEW) });
    }
    const line = (what: string, field: keyof Boot, target: string) =>
      lineOf(
        { what, unit: 'ms', beside: `${FEW} queued`, target },
        rounds.map((round) => ({ ours: round.many[field], peer: round.few[field] })),
      );
    return [
      line(`start() to the first attempt, ${many} queued`, 'firstAttempt', '< 1000 ms'),
      line('event loop delay meanwhile, p99', 'loopDelay', '< 50 ms'),
    ];
  },
};

interface Boot {
  readonly firstAttempt: number;
  readonly loopDelay: number;
}

function bootWith(queued: number): Promise<Boot> {
  return withFolder(async (folder) => {
    const file = join(folder, 'flue.db');
    await fill(file, queued);

    let firstAttempt: number | undefined;
    const began = performance.now();
    scriptModel({
      steps() {
        firstAttempt ??= performance.now() - began;
        return { text: 'Friday.' };
      },
    });
    const delay = monitorEventLoopDelay({ resolution: 5 });
    delay.enable();
    const flue = await start({ agents: [Orders], db: sqlite(file) });
    // The tenth part is enough to see the boot and the work side by side.
    await Promise.all(
      Array.from({ length: Math.ceil(queued / 10) }, (_, index) =>
        init(Orders, { id: String(index) }).dispatch('And now?'),
      ),
    );
    delay.disable();
    await flue.stop({ timeoutMs: 100 });
    return { firstAttempt: firstAttempt as number, loopDelay: delay.percentile(99) / 1e6 };
  });
}

async function fill(file: string, queued: number): Promise<void> {
  playSilence();
  const flue = await start({ agents: [Orders], db: sqlite(file), execution: { concurrency: 1 } });
  await inFlight(queued, 256, (index) =>
    dispatch(Orders, { id: String(index), message: 'Where is order 7?' }),
  );
  await flue.stop({ timeoutMs: 100 });
}
