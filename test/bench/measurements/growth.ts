import { init } from '@flue/runtime';
import { costOf, type Line, lineOf, type Measurement, median, type Pair } from '../support/measurement.ts';
import { Orders, playAnswers, withOrders } from '../support/orders.ts';

const ROUNDS = 3;
const SAMPLES = 10;

/** What a late message of a conversation costs, next to the fifth of another one a moment before. */
export const growth: Measurement = {
  name: 'growth',
  async run({ long }) {
    const lines = await lateAgainstEarly(200, '< 1.5');
    return long ? [...lines, ...(await lateAgainstEarly(500, '< 1.3'))] : lines;
  },
};

async function lateAgainstEarly(late: number, target: string): Promise<Line[]> {
  const rounds: { wall: Pair; cpu: Pair }[] = [];
  for (let round = 0; round < ROUNDS; round++) rounds.push(await withOrders(() => sample(late)));
  const described = { unit: 'ms', beside: 'message 5', target } as const;
  return [
    lineOf(
      { ...described, what: `settling message ${late} of a conversation` },
      rounds.map(({ wall }) => wall),
    ),
    lineOf(
      { ...described, what: `processor time of message ${late}` },
      rounds.map(({ cpu }) => cpu),
    ),
  ];
}

/** Every late message is followed by a fifth one, so that both meet the same load and the same warmed-up code. */
async function sample(late: number): Promise<{ wall: Pair; cpu: Pair }> {
  const script = playAnswers();
  const send = async (id: string) => {
    await init(Orders, { id }).dispatch('Where is order 7?');
    // The script keeps every request; what it would hold on to is no cost of the runtime.
    script.reset();
  };
  for (let message = 1; message < late; message++) await send('old');
  const old: Cost[] = [];
  const young: Cost[] = [];
  for (let index = 0; index < SAMPLES; index++) {
    for (let message = 1; message < 5; message++) await send(`young-${index}`);
    old.push(await costOf(() => send('old')));
    young.push(await costOf(() => send(`young-${index}`)));
  }
  const pair = (of: (cost: Cost) => number): Pair => ({
    ours: median(old.map(of)),
    peer: median(young.map(of)),
  });
  return { wall: pair(({ wall }) => wall), cpu: pair(({ cpu }) => cpu) };
}

type Cost = Awaited<ReturnType<typeof costOf>>;
