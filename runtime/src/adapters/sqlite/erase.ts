import { ConversationStreamStoreError } from '../../ports/store-errors.ts';
import type { Connection } from './connection.ts';
import { prepareOpenRows } from './load.ts';
import { encodeText } from './text.ts';

/** RET-02. Another incarnation than the named one is left alone, so a repeated erasure does nothing. */
export function prepareErase(connection: Connection) {
  const { db } = connection;
  const find = db
    .prepare<[string, string], number>('SELECT id FROM flue_instance WHERE path = ? AND uid = ?')
    .pluck();
  const openRows = prepareOpenRows(connection);
  // Children first: what refers to the instance goes before it.
  const removals = [
    'DELETE FROM flue_batch WHERE key >= @instance << 32 AND key < (@instance + 1) << 32',
    'DELETE FROM flue_checkpoint WHERE instance = @instance',
    'DELETE FROM flue_attachment WHERE instance = @instance',
    'DELETE FROM flue_blob WHERE instance = @instance',
    'DELETE FROM flue_payload WHERE submission IN (SELECT id FROM flue_submission WHERE instance = @instance)',
    'DELETE FROM flue_submission WHERE instance = @instance',
    'DELETE FROM flue_instance WHERE id = @instance',
  ].map((sql) => db.prepare<[{ readonly instance: number }]>(sql));

  return (path: string, uid: string): void => {
    const instance = find.get(encodeText(path), encodeText(uid));
    if (instance === undefined) return;
    const rows = openRows(path, instance);
    if (rows.length > 0) {
      const dev = 'it has unsettled submissions; abort them and wait for their settlement.';
      throw new ConversationStreamStoreError({
        operation: 'erase',
        path,
        reason: 'unsettled_work',
        dev,
        rows,
      });
    }
    for (const removal of removals) removal.run({ instance });
  };
}
