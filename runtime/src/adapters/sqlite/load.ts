import { parseOffset } from '../../ports/offset.ts';
import type { InstanceView, Offset, SubmissionRow } from '../../ports/store.ts';
import { ConversationStreamStoreError } from '../../ports/store-errors.ts';
import type { Connection } from './connection.ts';
import {
  type CheckpointColumns,
  decodeCheckpoint,
  decodeInstance,
  decodeSubmission,
  type InstanceColumns,
  SUBMISSION_COLUMNS,
  type SubmissionColumns,
} from './rows.ts';
import { decodeText, encodeText } from './text.ts';

/** The unsettled rows of an instance, in order of admission. */
export function prepareOpenRows({ db }: Connection) {
  const find = db.prepare<[number], SubmissionColumns>(
    `SELECT ${SUBMISSION_COLUMNS} FROM flue_submission s WHERE s.instance = ? AND s.outcome IS NULL ORDER BY s.id`,
  );
  return (path: string, instance: number): SubmissionRow[] =>
    find.all(instance).map((columns) => decodeSubmission(path, columns));
}

/** What belongs to an instance beside its row. A checkpoint of another incarnation counts as none (CKP-01). */
export function prepareViewParts(connection: Connection) {
  const openRows = prepareOpenRows(connection);
  const findCheckpoint = connection.db.prepare<[number, string, number], CheckpointColumns>(
    `SELECT batch, incarnation, fold_format, data FROM flue_checkpoint
     WHERE instance = ? AND incarnation = ? AND batch <= ?`,
  );
  return (
    path: string,
    instance: Pick<InstanceColumns, 'id' | 'incarnation' | 'head'>,
    upTo = instance.head,
  ) => {
    const columns = findCheckpoint.get(instance.id, instance.incarnation, Math.min(upTo, instance.head));
    return { checkpoint: columns ? decodeCheckpoint(columns) : null, rows: openRows(path, instance.id) };
  };
}

/** QRY-02; its caller gives it one snapshot. */
export function prepareLoad(connection: Connection) {
  const findInstance = connection.db.prepare<[string], InstanceColumns>(
    `SELECT i.id, i.uid, i.incarnation, i.created_at, i.epoch, i.head, o.owner_id
     FROM flue_instance i LEFT JOIN flue_owner o ON o.id = i.owner WHERE i.path = ?`,
  );
  const viewParts = prepareViewParts(connection);

  return (path: string, o: { readonly atOrBefore?: Offset } = {}): InstanceView | null => {
    const upTo = o.atOrBefore === undefined ? undefined : requireOffset('load', path, o.atOrBefore);
    const columns = findInstance.get(encodeText(path));
    if (!columns) return null;
    return { instance: decodeInstance(path, columns), ...viewParts(path, columns, upTo) };
  };
}

/** QRY-03. */
export function prepareSubmission({ db }: Connection) {
  const find = db.prepare<[string], SubmissionColumns & { readonly path: string }>(
    `SELECT ${SUBMISSION_COLUMNS}, i.path FROM flue_submission s JOIN flue_instance i ON i.id = s.instance
     WHERE s.submission_id = ?`,
  );
  return (submissionId: string): SubmissionRow | null => {
    const columns = find.get(encodeText(submissionId));
    return columns ? decodeSubmission(decodeText(columns.path), columns) : null;
  };
}

export function requireOffset(operation: string, path: string, offset: Offset): number {
  const batch = parseOffset(offset);
  if (batch !== undefined) return batch;
  throw new ConversationStreamStoreError({
    operation,
    path,
    reason: 'invalid_offset',
    dev: `"${offset}" is no offset; use one that this stream returned, or "-1" for its origin.`,
  });
}
