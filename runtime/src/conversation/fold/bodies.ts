import { formatOffset, ORIGIN } from '../../ports/offset.ts';
import type { ReadOptions, StoredBatch } from '../../ports/store.ts';
import { type AssistantDelta, type ConversationRecord, decodeRecord } from '../records/index.ts';
import { numberOf } from './fold.ts';
import type { Block, Conversation, Held, OpenMessage } from './state.ts';

/** Ranges this close to each other are read as one: a few rows too many cost less than another read. */
const NEAR = 16;
const READ_LIMIT = 1000;

/** What to read so that `fillBodies` can complete a state that a checkpoint gave; empty when nothing is missing. */
export function missingBodies(state: Conversation): ReadOptions[] {
  const missing = new Set<number>();
  for (const held of heldBodies(state)) if (!held.record) missing.add(held.batch);
  if (state.open?.partial) for (const draft of state.open.drafts) missing.add(draft);
  return rangesOf([...missing].sort((a, b) => a - b));
}

function rangesOf(batches: readonly number[]): ReadOptions[] {
  const ranges: { first: number; last: number }[] = [];
  for (const batch of batches) {
    const range = ranges.at(-1);
    if (range && batch - range.last <= NEAR && batch - range.first < READ_LIMIT) range.last = batch;
    else ranges.push({ first: batch, last: batch });
  }
  return ranges.map(({ first, last }) => ({
    after: first === 1 ? ORIGIN : formatOffset(first - 1),
    limit: last - first + 1,
  }));
}

/** Puts the bodies found in these batches where they are missing. A range may be handed over in several pages. */
export function fillBodies(state: Conversation, batches: readonly StoredBatch[]): void {
  const byNumber = new Map(batches.map((batch) => [numberOf(batch.offset), batch]));
  for (const held of heldBodies(state)) {
    if (!held.record) held.record = bodyIn(byNumber, held.batch, held.index);
  }
  if (state.open?.partial) rebuild(state.open, byNumber);
}

function bodyIn(
  batches: ReadonlyMap<number, StoredBatch>,
  batch: number,
  index: number,
): ConversationRecord | undefined {
  const body = batches.get(batch)?.records[index];
  return body === undefined ? undefined : decodeRecord(body, batch, index);
}

/** Stays partial when a draft is not among them: it was reclaimed, or it comes with another page. */
function rebuild(open: OpenMessage, batches: ReadonlyMap<number, StoredBatch>): void {
  const blocks: Block[] = [];
  for (const draft of open.drafts) {
    const stored = batches.get(draft);
    if (!stored) return;
    for (const [index, body] of stored.records.entries()) {
      const { part, kind, delta } = decodeRecord(body, draft, index) as AssistantDelta;
      const last = blocks.at(-1);
      if (last?.part === part) last.text += delta;
      else blocks.push({ part, kind, text: delta });
    }
  }
  open.blocks.splice(0, open.blocks.length, ...blocks);
  open.partial = false;
}

/** Every place of the state that holds a body. */
function* heldBodies(state: Conversation): Generator<Held> {
  const { birth, response, cursor, resources } = state;
  if (birth) yield birth.held;
  for (const { summary, entries } of state.windows.values()) {
    if (summary) yield summary;
    for (const entry of entries) yield entry.held;
  }
  for (const pending of state.queue.pending) yield pending.held;
  if (response) yield* response.answer;
  for (const { message, calls } of state.toolBatches.values()) {
    yield message;
    for (const { outcome, steps, writes } of calls) {
      if (outcome) yield outcome;
      yield* steps.values();
      yield* writes;
    }
  }
  if (cursor) yield cursor;
  if (resources) yield resources.baseline;
}
