/*
 * The job of the bench on the published package of the same name, which runs where it was installed: one tool call, two
 * model calls, a file, no delay. Takes how many at a time, milliseconds to warm up, and how many are timed then; tells
 * milliseconds by the clock and of processor time.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  fauxAssistantMessage,
  fauxProvider,
  fauxText,
  fauxToolCall,
} from '@earendil-works/pi-ai/providers/faux';
import { defineTool, init, useModel, useTool } from '@flue/runtime';
import { sqlite, start } from '@flue/runtime/node';
import * as v from 'valibot';

const [width, warmUpMs, count] = process.argv.slice(2).map(Number);

const model = fauxProvider({
  provider: 'script',
  models: [{ id: 'orders', contextWindow: 1_000_000 }],
  // One chunk for each answer.
  tokenSize: { min: 1000, max: 1000 },
});
const answer = ({ messages }) =>
  messages.at(-1)?.role === 'toolResult'
    ? fauxAssistantMessage(fauxText('Order 7 arrives on Friday.'))
    : fauxAssistantMessage([fauxToolCall('look_up_order', { orderId: '7' })], { stopReason: 'toolUse' });
// Each entry answers one request.
model.setResponses(Array.from({ length: 100_000 }, () => answer));

const lookUpOrder = defineTool({
  name: 'look_up_order',
  description: 'Looks an order up.',
  input: v.object({ orderId: v.string() }),
  run: ({ data }) => ({ orderId: data.orderId, eta: 'Friday' }),
});

function Orders() {
  useModel('script/orders');
  useTool(lookUpOrder);
  return 'You answer customers of a furniture shop.';
}

const folder = mkdtempSync(join(tmpdir(), 'flue-bench-peer-'));
const flue = await start({
  agents: [Orders],
  db: sqlite(join(folder, 'peer.db')),
  providers: [model.provider],
});
try {
  const warm = performance.now() + warmUpMs;
  while (performance.now() < warm) await ask(width, `warm-up ${performance.now()}`);
  const cpu = process.cpuUsage();
  const began = performance.now();
  await ask(count, 'timed');
  const wall = performance.now() - began;
  const { user, system } = process.cpuUsage(cpu);
  console.log(JSON.stringify({ wall, cpu: (user + system) / 1000 }));
} finally {
  await flue.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function ask(times, name) {
  let next = 0;
  const worker = async () => {
    while (next < times) {
      const orders = init(Orders, { id: `${name}-${next++}` });
      const reply = await orders.read(await orders.dispatch('Where is order 7?'));
      if (!reply.text.includes('Friday')) throw new Error(`the peer answered "${reply.text}"`);
    }
  };
  await Promise.all(Array.from({ length: width }, worker));
}
