import { formatOffset } from '../../ports/offset.ts';
import type { Admission, AdmitResult, AttachmentPut, SubmissionRow } from '../../ports/store.ts';
import { preparePutAttachments } from './attachments.ts';
import { prepareInsertBatch } from './batches.ts';
import type { Connection } from './connection.ts';
import { decodeSubmission, SUBMISSION_COLUMNS, type SubmissionColumns } from './rows.ts';
import { INLINE_PAYLOAD } from './schema.ts';
import { decodeText, encodeText } from './text.ts';

interface Existing {
  readonly id: number;
  readonly uid: string;
  readonly incarnation: string;
  readonly epoch: number;
  readonly head: number;
  readonly next_seq: number;
}

/** The instance as this admission leaves it. */
interface Target {
  readonly id: number;
  readonly uid: string;
  readonly incarnation: string;
  readonly epoch: number;
  readonly head: number;
  readonly seq: number;
  readonly created: boolean;
}

type Replayed = SubmissionColumns & {
  readonly path: string;
  readonly uid: string;
  readonly incarnation: string;
};

/** ADM-01..ADM-04: the idempotency check, then the condition, then everything that one admission writes. */
export function prepareAdmit(connection: Connection) {
  const { db, now } = connection;
  const findSubmission = db.prepare<[string], Replayed>(
    `SELECT ${SUBMISSION_COLUMNS}, i.path, i.uid, i.incarnation
     FROM flue_submission s JOIN flue_instance i ON i.id = s.instance WHERE s.submission_id = ?`,
  );
  const findInstance = db.prepare<[string], Existing>(
    'SELECT id, uid, incarnation, epoch, head, next_seq FROM flue_instance WHERE path = ?',
  );
  // The submission's row is inserted next and gets this id, so the instance can name it as its head already. An upsert
  // that returns what it wrote would take the engine about twice as long.
  const nextRow = '(SELECT coalesce(max(s.id), 0) + 1 FROM flue_submission s)';
  const create = db.prepare(
    `INSERT INTO flue_instance
       (path, agent, uid, incarnation, created_at, epoch, batch_seq, batch_last, head, next_seq, head_row)
     VALUES (?, ?, ?, ?, ?, 0, 0, 0, 1, 2, ${nextRow})`,
  );
  const advance = db.prepare(
    `UPDATE flue_instance SET head = ?, next_seq = ?, head_row = coalesce(head_row, ${nextRow}) WHERE id = ?`,
  );
  const insert = db.prepare(
    `INSERT INTO flue_submission (submission_id, instance, seq, kind, payload, digest, status, accepted_at, attempts,
       max_attempts, timeout_ms, admitted)
     VALUES (?, ?, ?, ?, ?, ?, 'queued', ?, 0, ?, ?, ?)`,
  );
  const insertPayload = db.prepare('INSERT INTO flue_payload (submission, payload) VALUES (?, ?)');
  const insertBatch = prepareInsertBatch(connection);
  const putAttachments = preparePutAttachments(connection);

  return (a: Admission, attachments: readonly AttachmentPut[]): AdmitResult => {
    const earlier = findSubmission.get(encodeText(a.submissionId));
    if (earlier) return replay(earlier, a);

    const existing = findInstance.get(encodeText(a.path));
    if (existing && a.condition === null) return { kind: 'exists', uid: decodeText(existing.uid) };
    const target = existing ? continueWith(a, existing) : begin(a);
    if (!target) return { kind: 'missing' };

    insertRow(a, target);
    const records = target.created && a.create ? [a.create.birth, a.accepted] : [a.accepted];
    insertBatch(target.id, target.head, target.epoch, 0, 'durable', records);
    if (attachments.length > 0) putAttachments(a.path, target.id, attachments);
    const { uid, incarnation, created } = target;
    const admittedOffset = formatOffset(target.head);
    const submission = submissionOf(a, target.seq, admittedOffset);
    return { kind: 'admitted', submission, uid, incarnation, admittedOffset, created };
  };

  function replay(earlier: Replayed, a: Admission): AdmitResult {
    if (earlier.digest !== a.digest) return { kind: 'conflict', submissionId: a.submissionId };
    const submission = decodeSubmission(decodeText(earlier.path), earlier);
    return {
      kind: 'replayed',
      submission,
      uid: decodeText(earlier.uid),
      incarnation: decodeText(earlier.incarnation),
      admittedOffset: submission.admittedOffset,
      created: false,
    };
  }

  /** The existing instance at its next offset and queue sequence, unless the condition names another (ADM-03). */
  function continueWith(a: Admission, existing: Existing): Target | undefined {
    const { id, epoch, next_seq: seq } = existing;
    const uid = decodeText(existing.uid);
    if (typeof a.condition === 'string' && a.condition !== uid) return undefined;
    const head = existing.head + 1;
    advance.run(head, seq + 1, id);
    return { id, uid, incarnation: decodeText(existing.incarnation), epoch, head, seq, created: false };
  }

  /** A new instance, unless the condition wants an existing one or nothing says how to create it (ADM-03). */
  function begin(a: Admission): Target | undefined {
    if (typeof a.condition === 'string' || !a.create) return undefined;
    const { uid, incarnation } = a.create;
    const path = encodeText(a.path);
    const made = create.run(path, agentOf(path), encodeText(uid), encodeText(incarnation), now());
    return { id: Number(made.lastInsertRowid), uid, incarnation, epoch: 0, head: 1, seq: 1, created: true };
  }

  function insertRow(a: Admission, target: Target): void {
    const payload = encodeText(a.payload);
    const inline = payload.length <= INLINE_PAYLOAD;
    const { lastInsertRowid } = insert.run(
      encodeText(a.submissionId),
      target.id,
      target.seq,
      a.kind,
      inline ? payload : null,
      a.digest,
      a.acceptedAt,
      a.maxAttempts,
      a.timeoutMs,
      target.head,
    );
    if (!inline) insertPayload.run(lastInsertRowid, payload);
  }
}

/** The identity in `agents/<identity>/<instance id>` (PRM-03). */
function agentOf(path: string): string {
  return path.split('/', 2)[1] ?? '';
}

function submissionOf(a: Admission, seq: number, admittedOffset: string): SubmissionRow {
  const { submissionId, path, kind, payload, digest, acceptedAt, maxAttempts, timeoutMs } = a;
  return {
    submissionId,
    path,
    seq,
    kind,
    payload,
    digest,
    status: 'queued',
    acceptedAt,
    attempts: 0,
    maxAttempts,
    timeoutMs,
    admittedOffset,
  };
}
