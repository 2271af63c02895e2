import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HTTP_DEFAULTS } from '../contract/limits.ts';
import { useModel } from '../engine/hooks/use-model.ts';
import { formatOffset } from '../ports/offset.ts';
import type { FlueStore, PersistenceAdapter } from '../ports/store.ts';
import { fakeClock } from '../testing/fake-clock.ts';
import { scriptModel } from '../testing/script-model.ts';
import { currentRuntime } from './current.ts';
import { init } from './init.ts';
import { openCursor, readUpdates } from './reader.ts';
import { batchOf, requireStream } from './reader-stream.ts';
import { startTest, type TestRuntime, temporaryFile } from './runtime.test.support.ts';

/** Batches between two checkpoints (CKP-03), and those of the message during which one falls due. */
const WINDOW = 64 + 8;
const MISSED = 10;

const file = temporaryFile();
const clock = fakeClock();
let flue: TestRuntime | undefined;
/** batches that the store handed out since the count was last set back */
let handedOut = 0;

beforeEach(boot);
afterEach(async () => {
  await flue?.stop();
  file.remove();
});

/** Compacted every few dozen messages, since what the next model call needs is read in any case. */
function Desk() {
  useModel('offline/script', { compaction: { reserveTokens: 200, keepRecentTokens: 100 } });
}

async function boot(): Promise<void> {
  await flue?.stop();
  scriptModel({
    loop: true,
    model: { contextWindow: 1000 },
    steps: [{ text: 'Order 7 arrives on Friday.' }],
  });
  flue = await startTest({ agents: [Desk], db: counting(file.adapter(clock)), clock });
}

function counting(adapter: PersistenceAdapter): PersistenceAdapter {
  return {
    ...adapter,
    async connect(...args) {
      const store = await adapter.connect(...args);
      const read: FlueStore['read'] = async (path, o) => {
        const result = await store.read(path, o);
        handedOut += result.batches.length;
        return result;
      };
      return { ...store, read };
    },
  };
}

const send = (id: string) => init(Desk, { id }).dispatch('Where is order 7?');

async function batchesDuring(work: () => Promise<unknown>): Promise<number> {
  handedOut = 0;
  await work();
  return handedOut;
}

async function reconnect(id: string): Promise<void> {
  const { store } = currentRuntime()!;
  const stream = await requireStream(store, `agents/Desk/${id}`);
  const cursor = openCursor(stream, formatOffset(batchOf(stream.head) - MISSED));
  expect((await readUpdates(store, cursor, HTTP_DEFAULTS)).upToDate).toBe(true);
}

/** What each costs, in batches that are read. */
async function costsOf(id: string) {
  await boot();
  const resume = await batchesDuring(() => send(id));
  const append = await batchesDuring(() => send(id));
  return { resume, append, reconnect: await batchesDuring(() => reconnect(id)) };
}

async function grow(id: string, messages: number): Promise<number> {
  for (let n = 0; n < messages; n++) await send(id);
  return batchOf((await requireStream(currentRuntime()!.store, `agents/Desk/${id}`)).head);
}

describe('a long conversation', () => {
  it('costs one more message, a restart and a reader that comes back as few batches as a short one (CKP-10)', async () => {
    expect(await grow('short', 10)).toBeLessThan(WINDOW);
    expect(await grow('long', 400)).toBeGreaterThan(1000);
    const short = await costsOf('short');
    const long = await costsOf('long');
    expect(long.append).toBe(short.append);
    expect(long.resume).toBeLessThanOrEqual(WINDOW);
    // What was missed, and at most the response in whose middle the reader comes back.
    expect(long.reconnect).toBeLessThanOrEqual(short.reconnect + MISSED);
  }, 60_000);
});
