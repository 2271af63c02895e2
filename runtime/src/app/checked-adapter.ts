import { misuse } from '../errors/flue-error.ts';
import { type FlueStore, type PersistenceAdapter, STORE_METHODS } from '../ports/store.ts';

/** The adapter, with what is missing in it told by the name of where it came from, such as `db.ts` (ADP-03). */
export function checkedAdapter(db: PersistenceAdapter | undefined, source: string): PersistenceAdapter {
  if (typeof db?.connect !== 'function') throw misuse(`${source}: the adapter has no connect() method.`);
  return {
    ...(db.ephemeral !== undefined && { ephemeral: db.ephemeral }),
    migrate: () => db.migrate?.(),
    async connect(): Promise<FlueStore> {
      const store = await db.connect();
      const missing = STORE_METHODS.find((method) => typeof store?.[method] !== 'function');
      if (missing) throw misuse(`${source}: the store that connect() returned has no ${missing}() method.`);
      return store;
    },
    close: () => db.close?.(),
  };
}
