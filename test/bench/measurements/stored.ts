import { init } from '@flue/runtime';
import { scriptModel } from '@flue/runtime/testing';
import { readStream } from '../../support/stream.ts';
import { lineOf, type Measurement, type Pair } from '../support/measurement.ts';
import { Orders, withOrders } from '../support/orders.ts';

const REPLIES = 5;
const PIECE = 'Order 7 arrives on Friday between nine and ten. '.repeat(40);
const PIECES = 30;

/** What a streamed response leaves in the store once it has settled, next to what it may leave (STR-11). */
export const stored: Measurement = {
  name: 'stored',
  async run() {
    scriptModel({
      scope: 'conversation',
      loop: true,
      steps: [
        { toolCalls: [{ name: 'look_up_order', arguments: { orderId: '7' } }] },
        { text: Array.from({ length: PIECES }, () => PIECE), chunkDelayMs: 20 },
      ],
    });
    const pairs = await withOrders(
      async () => {
        for (let reply = 0; reply < REPLIES; reply++) {
          await init(Orders, { id: String(reply) }).dispatch('Where is order 7?');
        }
      },
      { look: (file) => Promise.all(Array.from({ length: REPLIES }, (_, id) => bytesOf(file, id))) },
    );
    const what = 'stored bytes of a streamed response';
    return [lineOf({ what, unit: '', beside: '1.3 x content + 2 KiB a turn', target: '<= 1' }, await pairs)];
  },
};

async function bytesOf(file: string, id: number): Promise<Pair> {
  const records = await readStream(file, `agents/Orders/${id}`);
  // What admission wrote is the message's, and the baseline is outside the sum.
  const response = records.filter(
    ({ type }) => !['conversation_opened', 'user_message', 'resources_recorded'].includes(type),
  );
  const turns = records.filter(({ type }) => type === 'assistant_message').length;
  const bytes = response.reduce((sum, record) => sum + Buffer.byteLength(JSON.stringify(record)), 0);
  return { ours: bytes, peer: 1.3 * PIECES * Buffer.byteLength(PIECE) + 2048 * turns };
}
