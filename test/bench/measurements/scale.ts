import { join } from 'node:path';
import { init } from '@flue/runtime';
import { type Flue, sqlite, start } from '@flue/runtime/node';
import { createAgentRouter } from '@flue/runtime/routing';
import { type ScriptStep, scriptModel } from '@flue/runtime/testing';
import { readStream } from '../../support/stream.ts';
import { withFolder } from '../support/folder.ts';
import { lineOf, type Measurement, type Pair, timed } from '../support/measurement.ts';
import { Orders } from '../support/orders.ts';

const ROUNDS = 9;
const SHORT = 1_000;
/** What a reader missed, in records, when it comes back. */
const MISSED = 10;

/** A conversation that was compacted on its way to very many records, next to a short one in the same file (CKP-10). */
export const scale: Measurement = {
  name: 'scale',
  run: ({ long }) =>
    withFolder(async (folder) => {
      const file = join(folder, 'flue.db');
      const records = long ? 100_000 : 10_000;
      playCompactingAnswers();
      await grow(file, { short: SHORT, long: records });

      const rounds: Record<'append' | 'resume' | 'reconnect', Pair>[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        const [ours, peer] = [await costsOf(file, 'long'), await costsOf(file, 'short')];
        const pair = (field: keyof Costs): Pair => ({ ours: ours[field], peer: peer[field] });
        rounds.push({ append: pair('append'), resume: pair('resume'), reconnect: pair('reconnect') });
      }
      const line = (what: string, field: keyof Costs) =>
        lineOf(
          { what: `${what}, ${records} records`, unit: 'ms', beside: `${SHORT} records`, target: '< 1.5' },
          rounds.map((round) => round[field]),
        );
      return [
        line('one more message', 'append'),
        line('first message after a restart', 'resume'),
        line(`a reader that missed ${MISSED} records`, 'reconnect'),
      ];
    }),
};

interface Costs {
  readonly append: number;
  readonly resume: number;
  readonly reconnect: number;
}

/** A context window that a few dozen messages fill, so that both conversations are compacted again and again. */
function playCompactingAnswers(): void {
  scriptModel({
    model: { contextWindow: 24_000 },
    steps({ messages, options }): ScriptStep {
      if (options.purpose !== 'agent') return { text: 'They asked for order 7, which arrives on Friday.' };
      if (messages.at(-1)?.role === 'tool') return { text: 'Order 7 arrives on Friday.' };
      return { toolCalls: [{ name: 'look_up_order', arguments: { orderId: '7' } }] };
    },
  });
}

const send = (id: string) => init(Orders, { id }).dispatch('Where is order 7?');
const boot = (file: string): Promise<Flue> =>
  start({ agents: [Orders], db: sqlite(file, { synchronous: 'normal' }) });

async function grow(file: string, targets: Record<string, number>): Promise<void> {
  for (const [id, target] of Object.entries(targets)) {
    const flue = await boot(file);
    await send(id);
    const perMessage = (await readStream(file, `agents/Orders/${id}`)).length;
    for (let records = perMessage; records < target; records += perMessage) await send(id);
    await flue.stop();
  }
}

async function costsOf(file: string, id: string): Promise<Costs> {
  const flue = await boot(file);
  try {
    const resume = await timed(() => send(id));
    const append = await timed(() => send(id));
    return { resume, append, reconnect: await timeReconnect(id) };
  } finally {
    await flue.stop();
  }
}

async function timeReconnect(id: string): Promise<number> {
  const router = createAgentRouter(Orders);
  const ask = async (query: string) => {
    const response = await router.fetch(new Request(`http://bench/${id}${query}`));
    if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
    await response.text();
    return response.headers;
  };
  const head = (await ask('?view=updates&offset=now')).get('stream-next-offset') as string;
  const [epoch, batch] = head.split('_') as [string, string];
  const offset = `${epoch}_${String(Number(batch) - MISSED).padStart(16, '0')}`;
  return timed(() => ask(`?view=updates&offset=${offset}`));
}
