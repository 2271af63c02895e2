import type { Connection } from './connection.ts';
import { decodeText, encodeText } from './text.ts';

/** QRY-01: the first stamp stays, so a repeated abort answers as the first one did. */
export function prepareAbort({ db, now }: Connection) {
  const stamp = db.prepare<[Record<string, unknown>], { readonly submission_id: string }>(
    `UPDATE flue_submission SET abort_requested_at = coalesce(abort_requested_at, @now)
     WHERE instance = (SELECT id FROM flue_instance WHERE path = @path) AND outcome IS NULL
     RETURNING submission_id`,
  );
  const stampOne = db.prepare<[Record<string, unknown>], { readonly submission_id: string }>(
    `UPDATE flue_submission SET abort_requested_at = coalesce(abort_requested_at, @now)
     WHERE submission_id = @id AND instance = (SELECT id FROM flue_instance WHERE path = @path)
       AND status IN ('queued', 'running')
     RETURNING submission_id`,
  );

  return (path: string, o: { readonly submissionId?: string } = {}): { affected: string[] } => {
    const scope = { path: encodeText(path), now: now() };
    const rows =
      o.submissionId === undefined
        ? stamp.all(scope)
        : stampOne.all({ ...scope, id: encodeText(o.submissionId) });
    return { affected: rows.map((row) => decodeText(row.submission_id)) };
  };
}
