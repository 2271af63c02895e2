import { LIMITS } from '../contract/limits.ts';
import { toCheckpoint } from '../conversation/fold/checkpoint.ts';
import { foldStored } from '../conversation/fold/fold.ts';
import { type Prepared, prepare } from '../conversation/fold/prepare.ts';
import type { Conversation } from '../conversation/fold/state.ts';
import { type ConversationRecord, stamp } from '../conversation/records/index.ts';
import type { BatchBuilder, Sink } from '../engine/sink.ts';
import { FlueError } from '../errors/flue-error.ts';
import type { Clock } from '../ports/clock.ts';
import { formatOffset, ORIGIN, parseOffset } from '../ports/offset.ts';
import type {
  AttachmentPut,
  BatchClass,
  Commit,
  Fence,
  Offset,
  RowChange,
  StoredBatch,
} from '../ports/store.ts';
import { OwnershipLostError } from '../ports/store-errors.ts';
import type { AttemptStore } from './patient-store.ts';

/**
 * The owner's pen: turns whole units into batches of its instance's stream, one at a time.
 *
 * J1  A batch is folded before it is committed; one that contradicts the state is never written (RCD-68).
 * J2  What the store answers with is what the state shows: batches that admissions put in between are folded in their
 *     place, and a refused batch leaves no trace.
 * J3  `seq` counts what the store took, so a batch that it refused is no gap, and its place is used again (CMT-03).
 * J4  Once it has ended, nothing folds into the state any more, which may be another attempt's by then.
 */
export interface StreamWriter extends Sink {
  /** Folds what admissions of any process have appended since the last batch. */
  catchUp(): Promise<void>;
  /** whether the last commit told of queued rows behind the head (CMT-08) */
  readonly queued: boolean;
  /** the head's abort stamp, as last told */
  readonly abortRequestedAt: number | undefined;
  /** Refuses whatever is asked for from now on. False when something is still under way that folds into the state. */
  end(): boolean;
}

const CHECKPOINT_BATCHES = 64;
const CHECKPOINT_BYTES = 256 * 1024;

export function openStreamWriter(o: {
  readonly store: AttemptStore;
  readonly clock: Clock;
  readonly fence: Fence;
  readonly state: Conversation;
  readonly abortRequestedAt?: number;
  /** Told of every commit, while its records are at hand, with the number of its batch. */
  readonly committed: (records: readonly ConversationRecord[], batch: number) => void;
  /** Told when the fence refused a batch, a draft included: nothing of this epoch is accepted any more (OWN-05). */
  readonly lost: (error: OwnershipLostError) => void;
}): StreamWriter {
  const { store, clock, fence, state } = o;
  let seq = 0;
  let chain: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  let ended = false;
  let queued = false;
  let abortRequestedAt = o.abortRequestedAt;

  function alone<T>(work: () => Promise<T>): Promise<T> {
    if (ended) return Promise.reject(new OwnershipLostError(fence));
    const turn = waiting === 0 ? work() : chain.then(work);
    waiting += 1;
    const leave = () => {
      waiting -= 1;
    };
    chain = turn.then(leave, leave);
    return turn;
  }

  async function writeAlone(build: (batch: BatchBuilder) => void, batchClass: BatchClass): Promise<void> {
    const pending = collect(build, batchClass);
    if (!pending) return;
    const { prepared, parts } = pending;
    let batch: number;
    try {
      const commit = commitOf(prepared, parts, batchClass);
      const predicted = state.tail.head;
      const result = await store.commit(fence, commit);
      seq = commit.seq;
      queued = result.queued;
      abortRequestedAt = result.abortRequestedAt ?? abortRequestedAt;
      batch = parseOffset(result.offset)!;
      prepared.committed(result.offset, batch > predicted ? await between(predicted, batch) : []);
    } catch (error) {
      prepared.discard();
      if (FlueError.is(error, 'ownership_lost')) o.lost(error as OwnershipLostError);
      throw error;
    }
    o.committed(prepared.records, batch);
  }

  function collect(
    build: (batch: BatchBuilder) => void,
    batchClass: BatchClass,
  ): { prepared: Prepared; parts: Parts } | undefined {
    const ts = new Date(clock.now()).toISOString();
    const parts: Parts = { rows: [], attachments: [], release: false };
    let prepared: Prepared | undefined;
    const builder: BatchBuilder = {
      add(records, rows = []) {
        if (records.length === 0 && rows.length === 0) return;
        const stamped = records.map((record) => stamp(record, ts));
        if (prepared) prepared.extend(stamped);
        else prepared = prepare(state, { class: batchClass, epoch: fence.epoch, records: stamped });
        parts.rows.push(...rows);
      },
      attach: (attachments) => parts.attachments.push(...attachments),
      release: () => {
        parts.release = true;
      },
    };
    try {
      build(builder);
    } catch (error) {
      prepared?.discard();
      throw error;
    }
    return prepared && { prepared, parts };
  }

  function commitOf(prepared: Prepared, parts: Parts, batchClass: BatchClass): Commit {
    const due = state.tail.batches >= CHECKPOINT_BATCHES || state.tail.bytes >= CHECKPOINT_BYTES;
    return {
      seq: seq + 1,
      class: batchClass,
      records: prepared.bodies,
      ...(parts.rows.length > 0 && { rows: parts.rows }),
      ...(parts.attachments.length > 0 && { attachments: parts.attachments }),
      ...(prepared.reclaim.length > 0 && { reclaim: prepared.reclaim }),
      ...(parts.release && { release: true }),
      // Not while a message or a tool batch is open: a checkpoint belongs to a turn boundary (CKP-03).
      ...(due &&
        batchClass === 'durable' &&
        state.toolBatches.size === 0 && { checkpoint: toCheckpoint(state) }),
    };
  }

  /** The admissions that took places from `predicted` on, so that the owner's batch came to stand at `own`. */
  async function between(predicted: number, own: number): Promise<StoredBatch[]> {
    const batches: StoredBatch[] = [];
    for (let next = predicted; next < own; ) {
      const limit = Math.min(own - next, LIMITS.readBatchesMax);
      const page = await store.read(fence.path, { after: after(next - 1), limit });
      if (page.batches.length === 0)
        throw new Error(`[flue] the stream of ${fence.path} lacks a batch before ${own}.`);
      batches.push(...page.batches);
      next = parseOffset(page.nextOffset)! + 1;
    }
    return batches;
  }

  return {
    state,
    write: (build, { class: batchClass = 'durable' } = {}) => alone(() => writeAlone(build, batchClass)),
    catchUp: () =>
      alone(async () => {
        await readTail(store, fence.path, state);
        queued = false;
      }),
    get queued() {
      return queued;
    },
    get abortRequestedAt() {
      return abortRequestedAt;
    },
    end() {
      ended = true;
      return waiting === 0;
    },
  };
}

interface Parts {
  readonly rows: RowChange[];
  readonly attachments: AttachmentPut[];
  release: boolean;
}

/** Folds the batches after the state's head. */
export async function readTail(
  store: Pick<AttemptStore, 'read'>,
  path: string,
  state: Conversation,
): Promise<void> {
  for (;;) {
    const page = await store.read(path, { after: after(state.tail.head), limit: LIMITS.readBatchesMax });
    for (const batch of page.batches) foldStored(state, batch);
    if (page.upToDate) return;
  }
}

function after(batch: number): Offset {
  return batch === 0 ? ORIGIN : formatOffset(batch);
}
