import { init } from '@flue/runtime';
import { scriptModel } from '@flue/runtime/testing';
import { costOf, type Line, lineOf, type Measurement, median, type Pair } from '../support/measurement.ts';
import { Orders, withOrders } from '../support/orders.ts';

const ROUNDS = 3;
const EARLY = 10;
const LATE = 1_000;
/** Turns around the one that is looked at, whose median stands for it. */
const AROUND = 20;
/** What the runtime may add to one turn. */
const BUDGET_MS = 3;

/**
 * One response of 1,000 turns, each a model call that answers at once and one tool call, on a file with full durability:
 * what a turn costs besides the model, and whether the length of the conversation shows in it.
 */
export const turns: Measurement = {
  name: 'turns',
  async run() {
    const rounds: Round[] = [];
    for (let round = 0; round < ROUNDS; round++) rounds.push(await withOrders(() => play(`round ${round}`)));
    const budget = (what: string, spent: (round: Round) => number): Line =>
      lineOf(
        { what, unit: 'ms', beside: 'budget', target: '< 3 ms' },
        rounds.map((round): Pair => ({ ours: spent(round), peer: BUDGET_MS })),
      );
    return [
      budget('added time per model turn, p50', ({ each }) => median(each)),
      budget('processor time of a model turn', ({ cpu }) => cpu),
      lateAgainstEarly(rounds.map(({ each }) => each)),
    ];
  },
};

interface Round {
  /** milliseconds from one model call to the next */
  readonly each: readonly number[];
  /** milliseconds of processor time per turn */
  readonly cpu: number;
}

async function play(id: string): Promise<Round> {
  const asked: number[] = [];
  scriptModel({
    steps() {
      asked.push(performance.now());
      if (asked.length > LATE + AROUND) return { text: 'Enough.' };
      return { toolCalls: [{ name: 'look_up_order', arguments: { orderId: String(asked.length) } }] };
    },
  });
  const { cpu } = await costOf(() => init(Orders, { id }).dispatch('Look up every order.'));
  const each = asked.slice(1).map((time, turn) => time - (asked[turn] as number));
  return { each, cpu: cpu / each.length };
}

function lateAgainstEarly(rounds: readonly (readonly number[])[]): Line {
  const around = (each: readonly number[], turn: number) =>
    median(each.slice(Math.max(0, turn - AROUND / 2), turn + AROUND / 2));
  const pairs = rounds.map((each): Pair => ({ ours: around(each, LATE), peer: around(each, EARLY) }));
  return lineOf(
    { what: `turn ${LATE} of a conversation`, unit: 'ms', beside: `turn ${EARLY}`, target: '< 1.3' },
    pairs,
  );
}
