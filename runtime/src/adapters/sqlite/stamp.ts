import type { Database } from 'better-sqlite3';
import type { StoreFormat } from '../../ports/store.ts';
import { PersistedFormatVersionError } from '../../ports/store-errors.ts';

/** The stamp of a database that this runtime may operate on; `undefined` when it is empty (VER-01, VER-02, VER-07). */
export function readStamp(db: Database, file: string, own: StoreFormat): StoreFormat | undefined {
  const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all() as string[];
  if (tables.length === 0) return undefined;
  if (!tables.includes('flue_meta')) {
    const dev = tables.some((name) => name.startsWith('flue_'))
      ? `${file} has tables of Flue but no stamp; restore it from a backup.`
      : `${file} belongs to another application; give Flue a file of its own.`;
    throw new PersistedFormatVersionError({ storedVersion: null, supportedVersion: own.format, dev });
  }
  const { format, minReader } = prepareStamp(db)();
  const known = [format, minReader].every((version) => Number.isSafeInteger(version) && version > 0);
  if (known && minReader <= own.format) return { format, minReader };
  throw new PersistedFormatVersionError({
    storedVersion: known ? minReader : 'unknown',
    supportedVersion: own.format,
    dev: `Open ${file} with the newer runtime that wrote it, or give this one another file.`,
  });
}

/** Reads the stamp as it is; an entry that is no number reads as `NaN`. */
export function prepareStamp(db: Database): () => StoreFormat {
  const find = db.prepare<[], { name: string; value: string }>('SELECT name, value FROM flue_meta');
  return () => {
    const stamp = new Map(find.all().map((row) => [row.name, Number(row.value)]));
    return { format: stamp.get('format') ?? Number.NaN, minReader: stamp.get('min_reader') ?? Number.NaN };
  };
}
