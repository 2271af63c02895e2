import { formatOffset } from '../../ports/offset.ts';
import type {
  InstanceRow,
  Outcome,
  SettlementError,
  StoredCheckpoint,
  SubmissionKind,
  SubmissionRow,
  SubmissionStatus,
} from '../../ports/store.ts';
import { decodeText } from './text.ts';

/** Columns of `flue_submission s` in the shape of `SubmissionColumns`. */
export const SUBMISSION_COLUMNS = `
  s.submission_id, s.seq, s.kind, s.digest, s.status, s.accepted_at, s.attempts, s.max_attempts, s.timeout_ms,
  s.first_claimed_at, s.abort_requested_at, s.host, s.admitted, s.input, s.settled, s.outcome, s.error, s.settled_at,
  coalesce(s.payload, (SELECT p.payload FROM flue_payload p WHERE p.submission = s.id), '') AS payload`;

export interface SubmissionColumns {
  readonly submission_id: string;
  readonly seq: number;
  readonly kind: SubmissionKind;
  readonly payload: string;
  readonly digest: string;
  readonly status: SubmissionStatus;
  readonly accepted_at: string;
  readonly attempts: number;
  readonly max_attempts: number;
  readonly timeout_ms: number;
  readonly first_claimed_at: number | null;
  readonly abort_requested_at: number | null;
  readonly host: string | null;
  readonly admitted: number;
  readonly input: number | null;
  readonly settled: number | null;
  readonly outcome: Outcome | null;
  readonly error: string | null;
  readonly settled_at: number | null;
}

export function decodeSubmission(path: string, c: SubmissionColumns): SubmissionRow {
  return {
    submissionId: decodeText(c.submission_id),
    path,
    seq: c.seq,
    kind: c.kind,
    payload: decodeText(c.payload),
    digest: c.digest,
    status: c.status,
    acceptedAt: c.accepted_at,
    attempts: c.attempts,
    maxAttempts: c.max_attempts,
    timeoutMs: c.timeout_ms,
    ...(c.first_claimed_at === null ? {} : { firstClaimedAt: c.first_claimed_at }),
    ...(c.abort_requested_at === null ? {} : { abortRequestedAt: c.abort_requested_at }),
    ...(c.host === null ? {} : { host: decodeText(c.host) }),
    admittedOffset: formatOffset(c.admitted),
    ...(c.input === null ? {} : { inputOffset: formatOffset(c.input) }),
    ...(c.settled === null ? {} : { settledOffset: formatOffset(c.settled) }),
    ...(c.outcome === null ? {} : { outcome: c.outcome }),
    ...(c.error === null ? {} : { error: decodeError(c.error) }),
    ...(c.settled_at === null ? {} : { settledAt: c.settled_at }),
  };
}

/** A settlement stays readable when the text of its error is not (VER-08). */
function decodeError(text: string): SettlementError {
  try {
    return JSON.parse(text) as SettlementError;
  } catch {
    return { message: 'The stored error cannot be read.' };
  }
}

export interface InstanceColumns {
  readonly id: number;
  readonly uid: string;
  readonly incarnation: string;
  readonly created_at: number;
  readonly epoch: number;
  readonly owner_id: string | null;
  readonly head: number;
}

export function decodeInstance(path: string, c: InstanceColumns): InstanceRow {
  return {
    path,
    uid: decodeText(c.uid),
    incarnation: decodeText(c.incarnation),
    createdAt: c.created_at,
    epoch: c.epoch,
    ...(c.owner_id === null ? {} : { ownerId: decodeText(c.owner_id) }),
    head: formatOffset(c.head),
  };
}

export interface CheckpointColumns {
  readonly batch: number;
  readonly incarnation: string;
  readonly fold_format: number;
  readonly data: string;
}

export function decodeCheckpoint(c: CheckpointColumns): StoredCheckpoint {
  return {
    offset: formatOffset(c.batch),
    incarnation: decodeText(c.incarnation),
    foldFormat: c.fold_format,
    data: decodeText(c.data),
  };
}
