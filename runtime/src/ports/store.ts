/**
 * The persistence port: one store, one fence, one fenced write. Policy (what to classify, retry, join or settle) lives
 * above it; a store never reads a record's body (PRM-02).
 */

/** Where a batch stands in its stream: `<16 digits>_<16 digits>`, ordered as text; `-1` is before the first (STR-01). */
export type Offset = string;

/** One record as JSON text, opaque to the store. */
export type RecordBody = string;

export type SubmissionStatus = 'queued' | 'running' | 'joined' | 'settled';
export type Outcome = 'completed' | 'failed' | 'aborted';
export type BatchClass = 'durable' | 'draft';

/** How a submission came in. The store keeps it as it is; `compact` is a compaction request (RCD-45). */
export type SubmissionKind = 'dispatch' | 'direct' | 'compact';

/** A process's claim to be alive, one row each (OWN-08). A field that the platform cannot supply is absent. */
export interface OwnerRecord {
  readonly ownerId: string;
  readonly machineId?: string;
  readonly bootId?: string;
  readonly pidNamespace?: string;
  readonly pid?: number;
  /** start of the process, in the platform's own unit; only compared for equality */
  readonly processStart?: string;
  /** start of this runtime in the process, epoch milliseconds */
  readonly runtimeStart: number;
  /** identities that this process serves */
  readonly agents: readonly string[];
}

export interface StoredOwner extends OwnerRecord {
  readonly state: 'live' | 'stopped';
  /** store's clock, epoch milliseconds */
  readonly lastBeat: number;
  readonly leaseMs: number;
}

export interface BeatResult {
  /** the store's clock, epoch milliseconds */
  readonly now: number;
  readonly self: 'live' | 'retired';
  /** other owners that hold instances (BEA-01) */
  readonly peers: readonly StoredOwner[];
  /** abort stamps on the caller's running submissions */
  readonly aborts: readonly {
    readonly path: string;
    readonly submissionId: string;
    readonly requestedAt: number;
  }[];
  readonly format: StoreFormat;
}

/** What wrote a store, and the oldest format that may operate on it (VER-02). */
export interface StoreFormat {
  readonly format: number;
  readonly minReader: number;
}

/** The format of rows and records that this runtime writes. */
export const STORE_FORMAT: StoreFormat = { format: 1, minReader: 1 };

export interface InstanceRow {
  /** `agents/<identity>/<instance id>`; unambiguous because an identity holds no `/` (PRM-03) */
  readonly path: string;
  readonly uid: string;
  readonly incarnation: string;
  /** store's clock, epoch milliseconds */
  readonly createdAt: number;
  readonly epoch: number;
  readonly ownerId?: string;
  /** offset of the last batch */
  readonly head: Offset;
}

/** What a settlement keeps of its failure (SET-01). */
export interface SettlementError {
  readonly name?: string;
  readonly message: string;
  readonly type?: string;
  readonly details?: string;
  readonly meta?: Readonly<Record<string, unknown>>;
}

export interface SubmissionRow {
  readonly submissionId: string;
  readonly path: string;
  /** admission order within the instance, strictly increasing (PRM-04) */
  readonly seq: number;
  readonly kind: SubmissionKind;
  /** the delivered message as JSON text */
  readonly payload: string;
  readonly digest: string;
  readonly status: SubmissionStatus;
  /** ISO 8601, from the admitting process */
  readonly acceptedAt: string;
  readonly attempts: number;
  readonly maxAttempts: number;
  readonly timeoutMs: number;
  /** store's clock, epoch milliseconds; the deadline counts from here */
  readonly firstClaimedAt?: number;
  /** store's clock, epoch milliseconds; the first stamp stays */
  readonly abortRequestedAt?: number;
  /** the submission whose response it joined */
  readonly host?: string;
  readonly admittedOffset: Offset;
  readonly inputOffset?: Offset;
  readonly settledOffset?: Offset;
  readonly outcome?: Outcome;
  readonly error?: SettlementError;
  readonly settledAt?: number;
}

/** ATT-01. */
export interface AttachmentRef {
  readonly id: string;
  readonly mimeType: string;
  readonly size: number;
  /** SHA-256, hex */
  readonly digest: string;
  readonly filename?: string;
}

export interface AttachmentPut extends AttachmentRef {
  readonly bytes: Uint8Array;
  /** the conversation that may read it (ATT-04) */
  readonly conversationId: string;
}

export interface StoredAttachment {
  readonly ref: AttachmentRef;
  readonly conversationId: string;
  /** an independent copy, verified against size and digest (QRY-06, ATT-06) */
  readonly bytes: Uint8Array;
}

export interface Admission {
  readonly path: string;
  readonly submissionId: string;
  readonly kind: SubmissionKind;
  readonly payload: string;
  /** identity of the delivery for idempotency (ADM-02) */
  readonly digest: string;
  readonly acceptedAt: string;
  readonly maxAttempts: number;
  readonly timeoutMs: number;
  /** `string`: this uid must exist. `null`: none may exist. Absent: either (ADM-03). */
  readonly condition?: string | null;
  /** how to create the instance when there is none */
  readonly create?: { readonly uid: string; readonly incarnation: string; readonly birth: RecordBody };
  readonly accepted: RecordBody;
  readonly attachments?: readonly AttachmentPut[];
}

export type AdmitResult =
  | {
      readonly kind: 'admitted' | 'replayed';
      readonly submission: SubmissionRow;
      readonly uid: string;
      readonly incarnation: string;
      readonly admittedOffset: Offset;
      /** this admission created the instance */
      readonly created: boolean;
    }
  | { readonly kind: 'conflict'; readonly submissionId: string }
  | { readonly kind: 'missing' }
  | { readonly kind: 'exists'; readonly uid: string };

export interface ClaimOptions {
  readonly agents: readonly string[];
  /** at most so many instances, besides those of `paths` */
  readonly limit: number;
  /** owners that the caller has proven dead, and alive, on its own machine (OWN-09, OWN-12) */
  readonly dead: readonly string[];
  readonly alive: readonly string[];
  readonly hungOwnerMs: number;
  /** instances of the caller itself that it takes anew, under a new epoch */
  readonly paths?: readonly string[];
}

export type PreviousOwner = 'none' | 'stopped' | 'dead' | 'expired' | 'hung' | 'self';

export interface Claim {
  readonly path: string;
  readonly epoch: number;
  /** the head, already `running` with this attempt counted */
  readonly row: SubmissionRow;
  /** rows that had joined the head */
  readonly joined: readonly SubmissionRow[];
  readonly view: InstanceView;
  readonly previous: { readonly reason: PreviousOwner; readonly ownerId?: string };
}

export interface InstanceView {
  readonly instance: InstanceRow;
  readonly checkpoint: StoredCheckpoint | null;
  /** unsettled rows in order of `seq` */
  readonly rows: readonly SubmissionRow[];
}

/** A cache of the folded state at an offset, never authoritative (CKP-01). */
export interface Checkpoint {
  readonly foldFormat: number;
  /** JSON text */
  readonly data: string;
}

export interface StoredCheckpoint extends Checkpoint {
  readonly offset: Offset;
  readonly incarnation: string;
}

/** The token of one attempt's ownership; a write under an older one is refused (OWN-02). */
export interface Fence {
  readonly path: string;
  readonly ownerId: string;
  readonly epoch: number;
}

/** CMT-04, and RCD-42 for `running`. */
export type RowChange =
  | { readonly submissionId: string; readonly to: 'running' }
  | { readonly submissionId: string; readonly to: 'joined'; readonly host: string }
  | {
      readonly submissionId: string;
      readonly to: 'settled';
      readonly outcome: Outcome;
      readonly error?: SettlementError;
    }
  | { readonly submissionId: string; readonly to: 'queued'; readonly refund: boolean };

export interface Commit {
  /** counts the batches of this epoch from 1; a repeat of the last one returns its result (CMT-03) */
  readonly seq: number;
  readonly class: BatchClass;
  readonly records: readonly RecordBody[];
  readonly rows?: readonly RowChange[];
  readonly attachments?: readonly AttachmentPut[];
  /** of the state after this batch */
  readonly checkpoint?: Checkpoint;
  /** draft batches that this one makes redundant */
  readonly reclaim?: readonly Offset[];
  /** ends ownership */
  readonly release?: boolean;
}

export interface CommitResult {
  readonly offset: Offset;
  /** the head row's abort stamp, when it has one (CMT-08) */
  readonly abortRequestedAt?: number;
  /** whether queued rows wait behind the head */
  readonly queued: boolean;
}

export interface StoredBatch {
  readonly offset: Offset;
  readonly epoch: number;
  /** 0 for an admission's batch, which is not of the owner's count */
  readonly seq: number;
  readonly class: BatchClass;
  readonly records: readonly RecordBody[];
}

export interface ReadOptions {
  /** exclusive; default `-1` */
  readonly after?: Offset;
  /** exclusive; reads backwards, newest first; not together with `after` */
  readonly before?: Offset;
  readonly limit?: number;
  readonly class?: 'durable';
}

export interface ReadResult {
  readonly batches: readonly StoredBatch[];
  /** resume point: of the last batch returned, else the given `after` */
  readonly nextOffset: Offset;
  readonly upToDate: boolean;
  /** batches between `after` and the first one returned were reclaimed */
  readonly gap: boolean;
}

export type WatchHint = { readonly path: string } | 'any';

export interface FlueStore {
  beat(
    self: OwnerRecord,
    o: {
      readonly leaseMs: number;
      readonly retire?: readonly { readonly ownerId: string; readonly lastBeat?: number }[];
    },
  ): Promise<BeatResult>;
  admit(admission: Admission): Promise<AdmitResult>;
  claim(ownerId: string, o: ClaimOptions): Promise<Claim[]>;
  commit(fence: Fence, commit: Commit): Promise<CommitResult>;
  abort(path: string, o?: { readonly submissionId?: string }): Promise<{ affected: string[] }>;
  load(path: string, o?: { readonly atOrBefore?: Offset }): Promise<InstanceView | null>;
  submission(submissionId: string): Promise<SubmissionRow | null>;
  read(path: string, o: ReadOptions): Promise<ReadResult>;
  attachment(path: string, attachmentId: string): Promise<StoredAttachment | null>;
  watch(listener: (hint: WatchHint) => void): () => void;
  /** optional removal of one incarnation without unsettled work (RET-02) */
  erase?(path: string, uid: string): Promise<void>;
  /**
   * optional: moves every instance of an identity to another one, each in a transaction of its own; refused before the
   * first when a target exists, and repeated to resume (RET-04)
   */
  rename?(oldIdentity: string, newIdentity: string): Promise<{ moved: number }>;
}

/** What `db.ts` default-exports and `start({ db })` takes (ADP-01). */
export interface PersistenceAdapter {
  migrate?(): void | Promise<void>;
  connect(): FlueStore | Promise<FlueStore>;
  close?(): void | Promise<void>;
  /** nothing outlives the process, so stopping settles what remains (SHD-05) */
  readonly ephemeral?: boolean;
}

export const STORE_METHODS = [
  'beat',
  'admit',
  'claim',
  'commit',
  'abort',
  'load',
  'submission',
  'read',
  'attachment',
  'watch',
] as const satisfies readonly (keyof FlueStore)[];
