import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { formatOffset } from '../../ports/offset.ts';
import type { BatchClass } from '../../ports/store.ts';
import { encodeRecord, type NewRecord, stamp } from '../records/index.ts';
import {
  birth,
  compaction,
  delta,
  message,
  resources,
  running,
  settled,
  startSeam,
  user,
} from './fixtures/stories.fixture.ts';
import { foldStored } from './fold.ts';
import { type Conversation, emptyConversation } from './state.ts';

const MiB = 1024 * 1024;
const REPLIES = 320;
const DELTAS = 24;
const DELTA_BYTES = 4096;
/** replies from one compaction to the next */
const KEPT = 20;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
function heap(): number {
  collect();
  return process.memoryUsage().heapUsed;
}

/** Every batch of a long conversation of reasoning, drafts and all, as a store would return them, one at a time. */
function* log(): Generator<{ records: NewRecord[]; class: BatchClass }> {
  for (let reply = 0; reply < REPLIES; reply++) {
    const submissionId = `sub_${reply}`;
    const own = { submissionId };
    const durable = (...records: NewRecord[]) => ({ records, class: 'durable' as const });
    yield durable(...(reply === 0 ? [birth] : []), user(submissionId));
    yield durable(
      running(submissionId),
      startSeam(submissionId),
      ...(reply === 0 ? [resources({ ...own, prompt: 'x' })] : []),
    );
    let thought = '';
    for (let n = 0; n < DELTAS; n++) {
      const more = `${reply} ${n} `.padEnd(DELTA_BYTES, 'why ');
      yield { records: [delta(0, thought.length, more, { ...own, kind: 'thinking' })], class: 'draft' };
      thought += more;
    }
    yield durable(message(1, [{ type: 'thinking', text: thought, part: 0 }], own));
    const isFull = reply % KEPT === KEPT - 1 && reply < REPLIES - 1;
    yield durable(
      ...(isFull ? [compaction(null, own), resources({ ...own, prompt: 'again' })] : []),
      settled(submissionId),
    );
  }
}

it('a conversation takes the memory that its next model call needs, however long its log of deltas is (PC-074)', () => {
  const before = heap();
  const state: Conversation = emptyConversation('inc_U');
  let bytes = 0;
  let number = 0;
  let most = 0;
  const started = process.cpuUsage();
  for (const { records, class: batchClass } of log()) {
    number += 1;
    const ts = '2026-07-17T10:00:00.000Z';
    const bodies = records.map((record) => encodeRecord(stamp(record, ts)));
    bytes += bodies.reduce((sum, body) => sum + body.length, 0);
    foldStored(state, {
      offset: formatOffset(number),
      epoch: 1,
      seq: number,
      class: batchClass,
      records: bodies,
    });
    if (number % 2000 === 0) most = Math.max(most, heap() - before);
  }
  const { user: cpu, system } = process.cpuUsage(started);
  most = Math.max(most, heap() - before);
  expect(bytes).toBeGreaterThan(60 * MiB);
  // What the model is shown next: the replies since the last compaction.
  const shown = KEPT * DELTAS * DELTA_BYTES;
  expect(state.windows.get(0)?.entries.length).toBe(2 * KEPT);
  expect(most).toBeLessThan(2 * shown + 4 * MiB);
  expect((cpu + system) / 1e6).toBeLessThan(20);
}, 60_000);
