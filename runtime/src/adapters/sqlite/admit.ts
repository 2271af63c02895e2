import { formatOffset } from '../../ports/offset.ts';
import type { Admission, AdmitResult, AttachmentPut, SubmissionRow } from '../../ports/store.ts';
import { preparePutAttachments } from './attachments.ts';
import { prepareInsertBatch } from './batches.ts';
import type { Connection } from './connection.ts';
import { decodeSubmission, SUBMISSION_COLUMNS, type SubmissionColumns } from './rows.ts';
import { INLINE_PAYLOAD } from './schema.ts';
import { decodeText, encodeText } from './text.ts';

interface Target {
  readonly id: number;
  readonly uid: string;
  readonly incarnation: string;
  readonly epoch: number;
  readonly head: number;
  readonly next_seq: number;
  /** id of the submission row to insert */
  readonly row: number;
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
  // The row that is about to be inserted gets the next id, so one statement can already name it as the head.
  const nextRow = '(SELECT coalesce(max(s.id), 0) + 1 FROM flue_submission s)';
  const returning = `RETURNING id, uid, incarnation, epoch, head, next_seq, ${nextRow} AS row`;
  const advance = `head = head + 1, next_seq = next_seq + 1, head_row = coalesce(head_row, ${nextRow})`;
  const createOrAppend = db.prepare<[string, string, string, string, number], Target>(
    `INSERT INTO flue_instance
       (path, agent, uid, incarnation, created_at, epoch, batch_seq, batch_last, head, next_seq, head_row)
     VALUES (?, ?, ?, ?, ?, 0, 0, 0, 1, 2, ${nextRow})
     ON CONFLICT (path) DO UPDATE SET ${advance} ${returning}`,
  );
  const append = db.prepare<[string, string | null], Target>(
    `UPDATE flue_instance SET ${advance}
     WHERE path = ? AND uid = coalesce(?, uid) ${returning}`,
  );
  const findUid = db.prepare<[string], string>('SELECT uid FROM flue_instance WHERE path = ?').pluck();
  const insert = db.prepare(
    `INSERT INTO flue_submission (id, submission_id, instance, seq, kind, payload, digest, status, accepted_at, attempts,
       max_attempts, timeout_ms, admitted)
     VALUES (?, ?, ?, ?, ?, ?, ?, 'queued', ?, 0, ?, ?, ?)`,
  );
  const insertPayload = db.prepare('INSERT INTO flue_payload (submission, payload) VALUES (?, ?)');
  const insertBatch = prepareInsertBatch(connection);
  const putAttachments = preparePutAttachments(connection);

  return (a: Admission, attachments: readonly AttachmentPut[]): AdmitResult => {
    const earlier = findSubmission.get(encodeText(a.submissionId));
    if (earlier) return replay(earlier, a);

    const path = encodeText(a.path);
    if (a.condition === null) {
      const uid = findUid.get(path);
      if (uid !== undefined) return { kind: 'exists', uid: decodeText(uid) };
    }
    const target = reach(a, path);
    if (!target) return { kind: 'missing' };

    const created = target.head === 1;
    const seq = target.next_seq - 1;
    insertRow(a, target, seq);
    const records = created && a.create ? [a.create.birth, a.accepted] : [a.accepted];
    insertBatch(target.id, target.head, target.epoch, 0, 'durable', records);
    if (attachments.length > 0) putAttachments(a.path, target.id, attachments);
    const admittedOffset = formatOffset(target.head);
    return {
      kind: 'admitted',
      submission: submissionOf(a, seq, admittedOffset),
      uid: decodeText(target.uid),
      incarnation: decodeText(target.incarnation),
      admittedOffset,
      created,
    };
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

  /** Moves the instance to its next offset and queue sequence, creating it where that is allowed (ADM-03). */
  function reach(a: Admission, path: string): Target | undefined {
    if (typeof a.condition === 'string') return append.get(path, encodeText(a.condition));
    if (!a.create) return append.get(path, null);
    const { uid, incarnation } = a.create;
    return createOrAppend.get(path, agentOf(path), encodeText(uid), encodeText(incarnation), now());
  }

  function insertRow(a: Admission, target: Target, seq: number): void {
    const payload = encodeText(a.payload);
    const inline = payload.length <= INLINE_PAYLOAD;
    insert.run(
      target.row,
      encodeText(a.submissionId),
      target.id,
      seq,
      a.kind,
      inline ? payload : null,
      a.digest,
      a.acceptedAt,
      a.maxAttempts,
      a.timeoutMs,
      target.head,
    );
    if (!inline) insertPayload.run(target.row, payload);
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
