import { ConversationStreamStoreError } from '../../ports/store-errors.ts';
import type { Connection } from './connection.ts';
import { decodeText, encodeText } from './text.ts';

/** One instance and the path that it is to have. */
export interface Move {
  readonly instance: number;
  readonly from: string;
  readonly to: string;
}

/**
 * The parts of a renaming (RET-04). Everything of an instance hangs on its row, so one update moves it whole. It ends
 * ownership: whoever serves the new identity goes on with open work, and the fence refuses what the old owner writes.
 */
export function prepareRename(connection: Connection) {
  const { db } = connection;
  const find = db.prepare<[string], { id: number; path: string }>(
    'SELECT id, path FROM flue_instance WHERE agent = ? ORDER BY id',
  );
  const taken = db.prepare<[string], number>('SELECT 1 FROM flue_instance WHERE path = ?').pluck();
  const move = db.prepare<[string, string, number, string]>(
    'UPDATE flue_instance SET path = ?, agent = ?, owner = NULL WHERE id = ? AND path = ?',
  );
  const refuseTaken = ({ from, to }: Move) => {
    if (taken.get(encodeText(to)) === undefined) return;
    const dev = `"${to}" exists; erase one of the two, or choose another identity.`;
    throw new ConversationStreamStoreError({ operation: 'rename', path: from, reason: 'target_exists', dev });
  };

  return {
    /** What is still to be moved; refused as a whole when any target exists. */
    plan(oldIdentity: string, newIdentity: string): Move[] {
      const moves = find.all(encodeText(oldIdentity)).map(({ id, path }): Move => {
        const from = decodeText(path);
        return {
          instance: id,
          from,
          to: `agents/${newIdentity}/${from.slice(`agents/${oldIdentity}/`.length)}`,
        };
      });
      for (const one of moves) refuseTaken(one);
      return moves;
    },
    /** Runs in a transaction of its own; one that is done already changes nothing. */
    move(one: Move, newIdentity: string): void {
      refuseTaken(one);
      move.run(encodeText(one.to), encodeText(newIdentity), one.instance, encodeText(one.from));
    },
  };
}
