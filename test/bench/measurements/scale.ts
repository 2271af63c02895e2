import { join } from 'node:path';
import { init, useModel, useTool } from '@flue/runtime';
import { type Flue, sqlite, start } from '@flue/runtime/node';
import { createAgentRouter } from '@flue/runtime/routing';
import { type ScriptModel, type ScriptStep, scriptModel } from '@flue/runtime/testing';
import { readStream } from '../../support/stream.ts';
import { withFolder } from '../support/folder.ts';
import { costOf, lineOf, type Measurement, median } from '../support/measurement.ts';
import { lookUpOrder } from '../support/orders.ts';

const ROUNDS = 9;
const SAMPLES = 5;
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
      const script = playCompactingAnswers();
      await grow(file, { short: SHORT, long: records }, script);

      const rounds: Round[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        // By turns first, since whoever comes second finds warmer code.
        const order = round % 2 === 0 ? (['long', 'short'] as const) : (['short', 'long'] as const);
        const costs: Partial<Record<(typeof order)[number], Costs>> = {};
        for (const id of order) costs[id] = await costsOf(file, id, script);
        rounds.push({ ours: costs.long!, peer: costs.short! });
      }
      const line = (what: string, field: keyof Costs, of: keyof Cost) =>
        lineOf(
          { what: `${what}, ${records} records`, unit: 'ms', beside: `${SHORT} records`, target: '< 1.5' },
          rounds.map(({ ours, peer }) => ({ ours: ours[field][of], peer: peer[field][of] })),
        );
      const lines = (what: string, field: keyof Costs) => [
        line(what, field, 'wall'),
        line(`processor time of ${what}`, field, 'cpu'),
      ];
      return [
        ...lines('one more message', 'append'),
        ...lines('the first message after a restart', 'resume'),
        ...lines(`a reader that missed ${MISSED} records`, 'reconnect'),
      ];
    }),
};

type Cost = Awaited<ReturnType<typeof costOf>>;

interface Round {
  readonly ours: Costs;
  readonly peer: Costs;
}

interface Costs {
  readonly append: Cost;
  readonly resume: Cost;
  readonly reconnect: Cost;
}

/** Keeps a short tail, so that the short conversation is no longer after a compaction than the long one. */
function Desk() {
  useModel('offline/script', { compaction: { reserveTokens: 500, keepRecentTokens: 200 } });
  useTool(lookUpOrder);
  return 'You answer customers of a furniture shop.';
}

/** A context window that a few dozen messages fill, so that both conversations are compacted again and again. */
function playCompactingAnswers(): ScriptModel {
  return scriptModel({
    model: { contextWindow: 4_000 },
    steps({ messages, options }): ScriptStep {
      if (options.purpose !== 'agent') return { text: 'They asked for order 7, which arrives on Friday.' };
      if (messages.at(-1)?.role === 'tool') return { text: 'Order 7 arrives on Friday.' };
      return { toolCalls: [{ name: 'look_up_order', arguments: { orderId: '7' } }] };
    },
  });
}

const send = (id: string) => init(Desk, { id }).dispatch('Where is order 7?');
const boot = (file: string): Promise<Flue> =>
  start({ agents: [Desk], db: sqlite(file, { synchronous: 'normal' }) });

async function grow(file: string, targets: Record<string, number>, script: ScriptModel): Promise<void> {
  for (const [id, target] of Object.entries(targets)) {
    const flue = await boot(file);
    await send(id);
    const perMessage = (await readStream(file, `agents/Desk/${id}`)).length;
    for (let records = perMessage; records < target; records += perMessage) {
      await send(id);
      // The script keeps every request, which over so many messages is most of the memory.
      script.reset();
    }
    await flue.stop();
  }
}

async function costsOf(file: string, id: string, script: ScriptModel): Promise<Costs> {
  await compact(file, id);
  const flue = await boot(file);
  try {
    const resume = await costOf(() => send(id));
    const appends: Cost[] = [];
    for (let sample = 0; sample < SAMPLES; sample++) appends.push(await costOf(() => send(id)));
    const reconnects: Cost[] = [];
    for (let sample = 0; sample < SAMPLES; sample++) reconnects.push(await costOfReconnect(id));
    return { resume, append: middleOf(appends), reconnect: middleOf(reconnects) };
  } finally {
    await flue.stop();
    script.reset();
  }
}

function middleOf(costs: readonly Cost[]): Cost {
  return { wall: median(costs.map(({ wall }) => wall)), cpu: median(costs.map(({ cpu }) => cpu)) };
}

/** Both conversations start a round at the same place: one message after a compaction. */
async function compact(file: string, id: string): Promise<void> {
  const flue = await boot(file);
  await init(Desk, { id }).compact();
  await send(id);
  await flue.stop();
}

async function costOfReconnect(id: string): Promise<Cost> {
  const router = createAgentRouter(Desk);
  const ask = async (query: string) => {
    const response = await router.fetch(new Request(`http://bench/${id}${query}`));
    if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
    await response.text();
    return response.headers;
  };
  const head = (await ask('?view=updates&offset=now')).get('stream-next-offset') as string;
  const [epoch, batch] = head.split('_') as [string, string];
  const offset = `${epoch}_${String(Number(batch) - MISSED).padStart(16, '0')}`;
  return costOf(() => ask(`?view=updates&offset=${offset}`));
}
