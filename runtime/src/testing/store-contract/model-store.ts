import { formatOffset } from '../../ports/offset.ts';
import type {
  Admission,
  ClaimOptions,
  Commit,
  Fence,
  InstanceView,
  RowChange,
  StoredBatch,
  StoredCheckpoint,
  SubmissionRow,
} from '../../ports/store.ts';

type Row = { -readonly [K in keyof SubmissionRow]: SubmissionRow[K] } & { readonly age: number };

interface Instance {
  readonly path: string;
  readonly uid: string;
  readonly incarnation: string;
  readonly createdAt: number;
  epoch: number;
  ownerId: string | undefined;
  epochOwner: string | undefined;
  head: number;
  nextSeq: number;
  lastSeq: number;
  lastOffset: number;
  lastCommit: string;
  batches: StoredBatch[];
  checkpoint: StoredCheckpoint | null;
}

interface Owner {
  state: 'live' | 'stopped';
  lastBeat: number;
  leaseMs: number;
  agents: readonly string[];
}

/** What the model says instead of throwing: the error's `type`, and its `meta.reason` where it has one. */
export interface Refusal {
  readonly refused: string;
}

/**
 * Sections 3 to 5 of the persistence contract in memory and in the plainest code, to compare a store with. It knows one
 * caller at a time and no faults.
 */
export function createModelStore(now: () => number) {
  const instances = new Map<string, Instance>();
  const rows = new Map<string, Row>();
  const owners = new Map<string, Owner>();

  const openRows = (path: string) =>
    [...rows.values()]
      .filter((row) => row.path === path && row.status !== 'settled')
      .sort((a, b) => a.seq - b.seq);
  const headOf = (path: string) => openRows(path).find((row) => row.status !== 'joined');
  const lost = (): Refusal => ({ refused: 'ownership_lost' });
  const fault = (reason: string): Refusal => ({ refused: `conversation_stream_store_failure ${reason}` });

  return { beat, admit, claim, commit, abort, load, submission, batches };

  function beat(ownerId: string, agents: readonly string[], leaseMs: number, retire: readonly string[]) {
    for (const id of retire) {
      const owner = owners.get(id);
      if (owner) owner.state = 'stopped';
    }
    const state = owners.get(ownerId)?.state ?? (retire.includes(ownerId) ? 'stopped' : 'live');
    owners.set(ownerId, { state, lastBeat: now(), leaseMs, agents });
    const held = new Set([...instances.values()].map((instance) => instance.ownerId));
    return {
      self: state === 'live' ? 'live' : 'retired',
      peers: [...owners.keys()].filter((id) => id !== ownerId && held.has(id)).sort(),
      aborts: [...instances.values()]
        .filter((instance) => instance.ownerId === ownerId)
        .map((instance) => headOf(instance.path))
        .filter((row) => row?.status === 'running' && row.abortRequestedAt !== undefined)
        .map((row) => row?.submissionId)
        .sort(),
    };
  }

  function admit(a: Admission) {
    const earlier = rows.get(a.submissionId);
    if (earlier) return { kind: earlier.digest === a.digest ? 'replayed' : 'conflict' };
    const existing = instances.get(a.path);
    if (a.condition === null && existing) return { kind: 'exists', uid: existing.uid };
    if (typeof a.condition === 'string' && existing?.uid !== a.condition) return { kind: 'missing' };
    if (!existing && !a.create) return { kind: 'missing' };
    const instance = existing ?? create(a);
    instance.head += 1;
    const offset = formatOffset(instance.head);
    const records = existing || !a.create ? [a.accepted] : [a.create.birth, a.accepted];
    instance.batches.push({ offset, epoch: instance.epoch, seq: 0, class: 'durable', records });
    const { submissionId, path, kind, payload, digest, acceptedAt, maxAttempts, timeoutMs } = a;
    const seq = instance.nextSeq++;
    rows.set(submissionId, {
      ...{ submissionId, path, seq, kind, payload, digest, acceptedAt, maxAttempts, timeoutMs },
      status: 'queued',
      attempts: 0,
      admittedOffset: offset,
      age: rows.size,
    });
    return { kind: 'admitted', admittedOffset: offset, created: !existing };
  }

  function create(a: Admission): Instance {
    const instance: Instance = {
      path: a.path,
      uid: a.create?.uid ?? '',
      incarnation: a.create?.incarnation ?? '',
      createdAt: now(),
      epoch: 0,
      ownerId: undefined,
      epochOwner: undefined,
      head: 0,
      nextSeq: 1,
      lastSeq: 0,
      lastOffset: 0,
      lastCommit: '',
      batches: [],
      checkpoint: null,
    };
    instances.set(a.path, instance);
    return instance;
  }

  function claim(ownerId: string, o: ClaimOptions) {
    if (owners.get(ownerId)?.state !== 'live') return [];
    return [...instances.values()]
      .map((instance) => ({ instance, head: headOf(instance.path), reason: freeFor(ownerId, instance, o) }))
      .filter(({ head, reason }) => head && reason && isServable(head, o))
      .sort((a, b) => (a.head?.age ?? 0) - (b.head?.age ?? 0))
      .filter(upTo(o.limit))
      .map(({ instance, head, reason }) => {
        const row = head as Row;
        instance.epoch += 1;
        instance.ownerId = ownerId;
        instance.epochOwner = ownerId;
        instance.lastSeq = 0;
        row.status = 'running';
        row.attempts += 1;
        row.firstClaimedAt ??= now();
        return { path: instance.path, epoch: instance.epoch, reason, submissionId: row.submissionId };
      });
  }

  /** The caller's own come besides the limit. */
  function upTo(limit: number): (candidate: { readonly reason: string | undefined }) => boolean {
    let taken = 0;
    return ({ reason }) => reason === 'self' || ++taken <= limit;
  }

  function freeFor(ownerId: string, instance: Instance, o: ClaimOptions): string | undefined {
    if (instance.ownerId === undefined) return 'none';
    if (instance.ownerId === ownerId) return o.paths?.includes(instance.path) ? 'self' : undefined;
    const owner = owners.get(instance.ownerId) as Owner;
    const silent = now() - owner.lastBeat;
    if (owner.state === 'stopped') return 'stopped';
    if (o.dead.includes(instance.ownerId)) return 'dead';
    if (silent > owner.leaseMs && !o.alive.includes(instance.ownerId)) return 'expired';
    return silent >= o.hungOwnerMs ? 'hung' : undefined;
  }

  function isServable(head: Row, o: ClaimOptions): boolean {
    const agent = head.path.split('/')[1] as string;
    if (o.agents.includes(agent) || head.abortRequestedAt !== undefined) return true;
    const timedOut = (head.firstClaimedAt ?? Date.parse(head.acceptedAt)) + head.timeoutMs <= now();
    const served = [...owners.values()].some(
      (owner) => owner.state === 'live' && now() - owner.lastBeat < 90_000 && owner.agents.includes(agent),
    );
    return timedOut && !served;
  }

  function commit(f: Fence, c: Commit) {
    const instance = instances.get(f.path);
    if (!instance || instance.epoch !== f.epoch || instance.epochOwner !== f.ownerId) return lost();
    const repeats = c.seq === instance.lastSeq && c.seq > 0;
    if (repeats && instance.lastCommit === JSON.stringify(c)) return answer(instance, instance.lastOffset);
    if (instance.ownerId === undefined || owners.get(f.ownerId)?.state !== 'live') return lost();
    if (repeats) return fault('sequence_conflict');
    if (c.seq !== instance.lastSeq + 1) return fault('sequence_gap');

    const before = new Map([...rows].map(([id, row]) => [id, { ...row }]));
    const offset = formatOffset(instance.head + 1);
    const head = headOf(f.path)?.submissionId;
    const applied = (c.rows ?? []).every((change) => changeRow(f.path, head, offset, change));
    const settledHead = head !== undefined && rows.get(head)?.status === 'settled';
    if (!applied || (settledHead && openRows(f.path).some((row) => row.status === 'joined'))) {
      rows.clear();
      for (const [id, row] of before) rows.set(id, row);
      return fault('row_change');
    }
    instance.head += 1;
    instance.lastSeq = c.seq;
    instance.lastOffset = instance.head;
    instance.lastCommit = JSON.stringify(c);
    instance.batches = instance.batches.filter(
      (b) => b.class === 'durable' || !c.reclaim?.includes(b.offset),
    );
    instance.batches.push({ offset, epoch: f.epoch, seq: c.seq, class: c.class, records: c.records });
    if (c.checkpoint) instance.checkpoint = { ...c.checkpoint, offset, incarnation: instance.incarnation };
    if (c.release || settledHead) instance.ownerId = undefined;
    return answer(instance, instance.head);
  }

  function answer(instance: Instance, batch: number) {
    const abortRequestedAt = headOf(instance.path)?.abortRequestedAt;
    return {
      offset: formatOffset(batch),
      ...(abortRequestedAt === undefined ? {} : { abortRequestedAt }),
      queued: openRows(instance.path).some((row) => row.status === 'queued'),
    };
  }

  function changeRow(path: string, head: string | undefined, offset: string, change: RowChange): boolean {
    const row = rows.get(change.submissionId);
    if (row?.path !== path || row.status === 'settled') return false;
    const isRunningHead = row.submissionId === head && row.status === 'running';
    switch (change.to) {
      case 'running':
        if (isRunningHead) row.inputOffset ??= offset;
        return isRunningHead;
      case 'queued':
        if (!isRunningHead) return false;
        row.status = 'queued';
        row.attempts -= change.refund ? 1 : 0;
        return true;
      case 'joined': {
        const oldest = openRows(path).find((other) => other.status === 'queued');
        const hosted = change.host === head && rows.get(change.host)?.status === 'running';
        if (row !== oldest || row.abortRequestedAt !== undefined || !hosted) return false;
        row.status = 'joined';
        row.host = change.host;
        row.inputOffset = offset;
        return true;
      }
      case 'settled':
        row.status = 'settled';
        row.outcome = change.outcome;
        if (change.error) row.error = change.error;
        row.settledOffset = offset;
        row.settledAt = now();
        return true;
    }
  }

  function abort(path: string, submissionId?: string): string[] {
    const affected = openRows(path).filter(
      (row) => submissionId === undefined || (row.submissionId === submissionId && row.status !== 'joined'),
    );
    for (const row of affected) row.abortRequestedAt ??= now();
    return affected.map((row) => row.submissionId).sort();
  }

  function load(path: string): InstanceView | null {
    const instance = instances.get(path);
    if (!instance) return null;
    const { uid, incarnation, createdAt, epoch, ownerId, checkpoint } = instance;
    const owned = ownerId === undefined ? {} : { ownerId };
    return {
      instance: { path, uid, incarnation, createdAt, epoch, ...owned, head: formatOffset(instance.head) },
      checkpoint,
      rows: openRows(path).map(({ age: _, ...row }) => row),
    };
  }

  function submission(submissionId: string): SubmissionRow | null {
    const row = rows.get(submissionId);
    if (!row) return null;
    const { age: _, ...shown } = row;
    return shown;
  }

  function batches(path: string): readonly StoredBatch[] {
    return instances.get(path)?.batches ?? [];
  }
}
