import { init } from '@flue/runtime';
import { type Line, lineOf, type Measurement, median, type Pair, timed } from '../support/measurement.ts';
import { Orders, playAnswers, withOrders } from '../support/orders.ts';

const ROUNDS = 3;
const SAMPLES = 10;

/** How long a late message of a conversation takes, next to the fifth of another one a moment before. */
export const growth: Measurement = {
  name: 'growth',
  async run({ long }) {
    playAnswers();
    const lines = [await lateAgainstEarly(200, '< 1.5')];
    if (long) lines.push(await lateAgainstEarly(500, '< 1.3'));
    return lines;
  },
};

async function lateAgainstEarly(late: number, target: string): Promise<Line> {
  const pairs: Pair[] = [];
  for (let round = 0; round < ROUNDS; round++) pairs.push(await withOrders(() => sample(late)));
  const what = `settling message ${late} of a conversation`;
  return lineOf({ what, unit: 'ms', beside: 'message 5', target }, pairs);
}

/** Every late message is followed by a fifth one, so that both meet the same load and the same warmed-up code. */
async function sample(late: number): Promise<Pair> {
  const old = init(Orders, { id: 'old' });
  for (let message = 1; message < late; message++) await old.dispatch('Where is order 7?');
  const ours: number[] = [];
  const peer: number[] = [];
  for (let index = 0; index < SAMPLES; index++) {
    const young = init(Orders, { id: `young-${index}` });
    for (let message = 1; message < 5; message++) await young.dispatch('Where is order 7?');
    ours.push(await timed(() => old.dispatch('Where is order 7?')));
    peer.push(await timed(() => young.dispatch('Where is order 7?')));
  }
  return { ours: median(ours), peer: median(peer) };
}
