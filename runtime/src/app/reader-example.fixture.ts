import type { DecodedBatch } from '../conversation/projections/decoded-batch.ts';
import { type ConversationRecord, encodeRecord, type RecordOf } from '../conversation/records/index.ts';
import { formatOffset } from '../ports/offset.ts';
import type { FlueStore, Offset, RowChange } from '../ports/store.ts';

/** Plays an example stream into a real store through the writes that its owner would make. */

export const PATH = 'agents/orders/42';
const OWNER = { ownerId: 'own_test', runtimeStart: 0, agents: ['orders'] };

export interface Player {
  /** writes the next `count` batches, all that are left by default */
  play(count?: number): Promise<void>;
}

/** `reclaim`: drafts go in the commit that completes their message, as in production. */
export function examplePlayer(
  store: FlueStore,
  batches: readonly DecodedBatch[],
  o: { readonly reclaim?: boolean; readonly path?: string } = {},
): Player {
  const path = o.path ?? PATH;
  const rest = [...batches];
  let epoch = 0;
  let seq = 0;
  let drafts: Offset[] = [];

  async function write({ batch, records }: DecodedBatch): Promise<void> {
    const known = records.filter((record) => record !== undefined);
    const accepted = known.find(isAccepted);
    if (accepted) return admit(known, accepted);
    if (known.some((record) => record.type === 'submission_moved' && record.to === 'running')) await claim();
    const isDraft = known.every((record) => record.type === 'assistant_delta');
    const completes = known.some((record) => record.type === 'assistant_message');
    seq += 1;
    await store.commit(
      { path, ownerId: OWNER.ownerId, epoch },
      {
        seq,
        class: isDraft ? 'draft' : 'durable',
        records: known.map(encodeRecord),
        rows: known.flatMap(rowChange),
        ...(o.reclaim && completes && { reclaim: drafts }),
      },
    );
    if (isDraft) drafts.push(formatOffset(batch));
    if (completes) drafts = [];
  }

  async function admit(
    records: ConversationRecord[],
    accepted: RecordOf<'user_message' | 'signal'>,
  ): Promise<void> {
    const birth = records.find((record) => record.type === 'conversation_opened' && record.kind === 'root');
    await store.admit({
      path,
      submissionId: accepted.submissionId,
      kind: 'direct',
      payload: JSON.stringify({ kind: 'user', body: accepted.body }),
      digest: accepted.submissionId,
      acceptedAt: accepted.acceptedAt ?? '',
      maxAttempts: 10,
      timeoutMs: 60_000,
      ...(birth && { create: { uid: 'inst_U', incarnation: 'inc_X', birth: encodeRecord(birth) } }),
      accepted: encodeRecord(accepted),
    });
  }

  async function claim(): Promise<void> {
    await store.beat(OWNER, { leaseMs: 60_000 });
    const claims = await store.claim(OWNER.ownerId, {
      agents: ['orders'],
      limit: 1,
      dead: [],
      alive: [],
      hungOwnerMs: 60_000,
      paths: [path],
    });
    epoch = claims[0]?.epoch ?? epoch;
    seq = 0;
  }

  return {
    async play(count = rest.length) {
      for (const batch of rest.splice(0, count)) await write(batch);
    },
  };
}

function isAccepted(record: ConversationRecord): record is RecordOf<'user_message' | 'signal'> {
  return (record.type === 'user_message' || record.type === 'signal') && record.acceptedAt !== undefined;
}

function rowChange(record: ConversationRecord): RowChange[] {
  if (record.type === 'submission_moved') {
    const { submissionId } = record;
    if (record.to === 'joined') return [{ submissionId, to: 'joined', host: record.host }];
    return record.to === 'running'
      ? [{ submissionId, to: 'running' }]
      : [{ submissionId, to: 'queued', refund: true }];
  }
  if (record.type !== 'submission_settled') return [];
  const { submissionId, outcome, error } = record;
  return [{ submissionId, to: 'settled', outcome, ...(error && { error }) }];
}
