import { init } from '@flue/runtime';
import { scriptModel } from '@flue/runtime/testing';
import { type Line, lineOf, type Measurement, median, type Pair } from '../support/measurement.ts';
import { Orders, withOrders } from '../support/orders.ts';
import { readWritten, writeBatches } from '../support/raw-sqlite.ts';

const ROUNDS = 3;
const EARLY = 10;
const LATE = 1_000;
/** Turns around the one that is looked at, whose median stands for it. */
const AROUND = 20;
/** What the runtime may add to one turn. */
const BUDGET_MS = 3;

/**
 * One response of 1,000 turns, each a model call that answers at once and one tool call, on a file with full durability:
 * what a turn costs besides the model and the disk, and whether the length of the conversation shows in it.
 */
export const turns: Measurement = {
  name: 'turns',
  async run() {
    const rounds: Round[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      rounds.push(await withOrders(() => play(`round ${round}`), { look: withDisk }));
    }
    return [
      lineOf(
        { what: 'model turn, p50', unit: 'ms', beside: 'better-sqlite3, same batches only', target: '' },
        rounds.map(({ each, disk }): Pair => ({ ours: median(each), peer: disk })),
      ),
      lineOf(
        { what: 'added time per model turn, p50', unit: 'ms', beside: 'budget', target: '< 3 ms' },
        rounds.map(({ each, disk }): Pair => ({ ours: median(each) - disk, peer: BUDGET_MS })),
      ),
      lateAgainstEarly(rounds),
    ];
  },
};

interface Played {
  /** milliseconds from one model call to the next */
  readonly each: readonly number[];
}

interface Round extends Played {
  /** milliseconds that the bare driver takes to commit what one turn commits */
  readonly disk: number;
}

async function play(id: string): Promise<Played> {
  const asked: number[] = [];
  scriptModel({
    steps() {
      asked.push(performance.now());
      if (asked.length > LATE + AROUND) return { text: 'Enough.' };
      return { toolCalls: [{ name: 'look_up_order', arguments: { orderId: String(asked.length) } }] };
    },
  });
  await init(Orders, { id }).dispatch('Look up every order.');
  return { each: asked.slice(1).map((time, turn) => time - (asked[turn] as number)) };
}

/** A turn is two transactions: its message, and the result of its call. */
function withDisk(file: string, { each }: Played): Round {
  const written = readWritten(file);
  const disk = writeBatches(`${file}.raw`, written, written.batches.length) / each.length;
  return { each, disk };
}

function lateAgainstEarly(rounds: readonly Played[]): Line {
  const around = (each: readonly number[], turn: number) =>
    median(each.slice(Math.max(0, turn - AROUND / 2), turn + AROUND / 2));
  const pairs = rounds.map(({ each }): Pair => ({ ours: around(each, LATE), peer: around(each, EARLY) }));
  return lineOf(
    { what: `turn ${LATE} of a conversation`, unit: 'ms', beside: `turn ${EARLY}`, target: '< 1.3' },
    pairs,
  );
}
