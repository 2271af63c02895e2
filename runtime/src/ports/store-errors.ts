import { FlueError, FlueHttpError } from '../errors/flue-error.ts';
import type { RecordBody, SubmissionRow } from './store.ts';

/** Why a store could not do its work (ADP-07). */
export type PersistenceReason = 'busy' | 'unavailable' | 'full' | 'readonly' | 'corrupt' | 'closed';

const REASONS: Record<PersistenceReason, string> = {
  busy: 'it is held by another writer',
  unavailable: 'it cannot be reached',
  full: 'it has no space left',
  readonly: 'it does not accept writes',
  corrupt: 'it is damaged',
  closed: 'it was closed',
};

/** The store failed; nothing was written. 503 with `Retry-After: 1`, or 500 for damage, which no retry heals (ADP-07). */
export class PersistenceError extends FlueHttpError {
  readonly reason: PersistenceReason;

  constructor(fields: {
    readonly reason: PersistenceReason;
    readonly dev?: string;
    readonly cause?: unknown;
  }) {
    const damaged = fields.reason === 'corrupt';
    super({
      type: 'persistence_failure',
      message: `The store could not complete the operation: ${REASONS[fields.reason]}.`,
      details: damaged
        ? 'Nothing was written. An operator has to restore the store.'
        : 'Nothing was written. The same request may be repeated with the same idempotency key.',
      ...(fields.dev === undefined ? {} : { dev: fields.dev }),
      meta: { reason: fields.reason },
      status: damaged ? 500 : 503,
      ...(damaged ? {} : { headers: { 'Retry-After': '1' } }),
      ...('cause' in fields ? { cause: fields.cause } : {}),
    });
    this.reason = fields.reason;
  }
}

/** True for a failure of the store, from any copy of the package; with reasons, only for one of those. */
export function isPersistenceError(
  error: unknown,
  ...reasons: PersistenceReason[]
): error is PersistenceError {
  if (!FlueError.is(error, 'persistence_failure')) return false;
  return reasons.length === 0 || reasons.some((reason) => error.meta?.reason === reason);
}

/** A fenced write by an attempt that no longer owns its instance; nothing was written (OWN-02, CMT-01). */
export class OwnershipLostError extends FlueError {
  readonly path: string;
  readonly epoch: number;

  constructor(fields: { readonly path: string; readonly epoch: number }) {
    super({
      type: 'ownership_lost',
      message: 'The attempt no longer owns its instance; its write was refused.',
      dev: `A newer claim, or the owner's retirement, superseded epoch ${fields.epoch} of "${fields.path}".`,
      meta: { path: fields.path, epoch: fields.epoch },
    });
    this.path = fields.path;
    this.epoch = fields.epoch;
  }
}

/** A batch above the limit, refused before any write (STR-07). It names the largest record of the batch. */
export class RecordTooLargeError extends FlueError {
  readonly bytes: number;
  readonly limit: number;

  constructor(fields: {
    readonly records: readonly RecordBody[];
    readonly bytes: number;
    readonly limit: number;
  }) {
    const recordType = typeOfLargest(fields.records);
    super({
      type: 'record_too_large',
      message: `A "${recordType}" record makes a batch of ${fields.bytes} bytes; the limit is ${fields.limit}.`,
      details: 'Return or store less at once, for example a reference instead of the content.',
      meta: { recordType, bytes: fields.bytes, limit: fields.limit },
    });
    this.bytes = fields.bytes;
    this.limit = fields.limit;
  }
}

/** Bodies stay opaque to stores (PRM-02); only this refusal looks into one, to name it. */
function typeOfLargest(records: readonly RecordBody[]): string {
  const largest = records.reduce((a, b) => (b.length > a.length ? b : a), '');
  try {
    const type = (JSON.parse(largest) as { type?: unknown } | null)?.type;
    return typeof type === 'string' ? type : 'unknown';
  } catch {
    return 'unknown';
  }
}

export type StreamFault =
  /** text that is no offset, or options that exclude each other */
  | 'invalid_offset'
  /** an offset that the stream has not reached (QRY-04) */
  | 'beyond_head'
  /** `seq` skips a batch, or repeats an older one than the last (CMT-03) */
  | 'sequence_gap'
  /** the last `seq` again with other content (CMT-03) */
  | 'sequence_conflict'
  /** a row change that does not apply (CMT-04, CMT-05) */
  | 'row_change'
  /** an erasure while submissions are unsettled (RET-02) */
  | 'unsettled_work'
  /** a renaming onto an instance that exists (RET-04) */
  | 'target_exists';

/** An operation against the rules of the stream; the stream is unchanged. */
export class ConversationStreamStoreError extends FlueError {
  readonly operation: string;
  readonly path: string;
  readonly reason: StreamFault;
  /** for `row_change` and `unsettled_work`: the rows named and the unsettled ones, as they stand (CMT-04) */
  readonly rows: readonly SubmissionRow[];

  constructor(fields: {
    readonly operation: string;
    readonly path: string;
    readonly reason: StreamFault;
    /** developer prose: what was asked and what stands */
    readonly dev: string;
    readonly rows?: readonly SubmissionRow[];
  }) {
    super({
      type: 'conversation_stream_store_failure',
      message: 'The conversation stream refused an operation; it is unchanged.',
      dev: `${fields.operation} of "${fields.path}": ${fields.dev}`,
      meta: { operation: fields.operation, path: fields.path, reason: fields.reason },
    });
    this.operation = fields.operation;
    this.path = fields.path;
    this.reason = fields.reason;
    this.rows = fields.rows ?? [];
  }
}

/** An attachment id that already names other bytes, another type or another conversation (ATT-03). */
export class AttachmentConflictError extends FlueError {
  constructor(fields: { readonly path: string; readonly attachmentId: string }) {
    super({
      type: 'attachment_conflict',
      message: 'An attachment with this id exists with other content, type or conversation.',
      dev: `Attachment "${fields.attachmentId}" of "${fields.path}" is written once; give new content a new id.`,
      meta: { path: fields.path, attachmentId: fields.attachmentId },
    });
  }
}

/** Bytes that disagree with their ref, on write or on read (ATT-03). */
export class AttachmentIntegrityError extends FlueError {
  constructor(fields: { readonly attachmentId: string; readonly reason: 'size' | 'digest' | 'chunks' }) {
    super({
      type: 'attachment_integrity',
      message: `The bytes of an attachment do not match their recorded ${fields.reason}.`,
      dev: `Attachment "${fields.attachmentId}": the ref's size and SHA-256 must be those of its bytes.`,
      meta: { attachmentId: fields.attachmentId, reason: fields.reason },
    });
  }
}

/** A store that this runtime must not touch: too new, or without a stamp it knows (VER-01, VER-07). */
export class PersistedFormatVersionError extends FlueError {
  constructor(fields: {
    /** what the stamp says; `null` when there is none */
    readonly storedVersion: string | number | null;
    readonly supportedVersion: number;
    /** where the store is and what to do, for the developer */
    readonly dev: string;
  }) {
    super({
      type: 'persisted_format_version_unsupported',
      message:
        fields.storedVersion === null
          ? 'The database carries no format stamp of Flue.'
          : `The database needs format ${fields.storedVersion}; this runtime supports ${fields.supportedVersion}.`,
      dev: fields.dev,
      meta: { storedVersion: fields.storedVersion, supportedVersion: fields.supportedVersion },
    });
  }
}

/** Whether the store could not or would not write, which says nothing about the work that was to be written. */
export function isStoreFailure(error: unknown): boolean {
  return FlueError.is(error, 'ownership_lost') || FlueError.is(error, 'persistence_failure');
}
