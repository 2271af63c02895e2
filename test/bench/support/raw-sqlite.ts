import Database from 'better-sqlite3';

type Row = Record<string, unknown>;

/** The rows that a run left in its file, and the schema that they stand in. */
export interface Written {
  readonly schema: readonly string[];
  readonly instances: readonly Row[];
  readonly submissions: readonly Row[];
  readonly batches: readonly Row[];
}

export function readWritten(file: string): Written {
  const db = new Database(file, { readonly: true });
  try {
    const all = (table: string) => db.prepare(`SELECT * FROM ${table} ORDER BY rowid`).all() as Row[];
    return {
      schema: db
        .prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'")
        .pluck()
        .all() as string[],
      instances: all('flue_instance'),
      submissions: all('flue_submission'),
      batches: all('flue_batch'),
    };
  } finally {
    db.close();
  }
}

/** Writes what `count` admissions wrote, in as many transactions, by the bare driver. Returns milliseconds. */
export function writeAdmissions(file: string, written: Written, count: number, transactions: number): number {
  const db = openRaw(file, written.schema);
  const instance = inserter(db, 'flue_instance', written.instances);
  const submission = inserter(db, 'flue_submission', written.submissions);
  const batch = inserter(db, 'flue_batch', written.batches);
  const advance = db.prepare('UPDATE flue_instance SET head = ?, next_seq = ? WHERE id = ?');
  const [only] = written.instances as [Row];
  return grouped(db, count, transactions, (index) => {
    if (written.instances.length > 1 || index === 0) instance(index);
    else advance.run(index + 1, index + 2, only.id);
    submission(index);
    batch(index);
  });
}

/** Writes all batches of a run in as many transactions, by the bare driver. Returns milliseconds. */
export function writeBatches(file: string, written: Written, transactions: number): number {
  const db = openRaw(file, written.schema);
  return grouped(db, written.batches.length, transactions, inserter(db, 'flue_batch', written.batches));
}

function openRaw(file: string, schema: readonly string[]): Database.Database {
  const db = new Database(file);
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = FULL');
  for (const sql of schema) db.exec(sql);
  return db;
}

function inserter(db: Database.Database, table: string, rows: readonly Row[]): (index: number) => void {
  const columns = Object.keys(rows[0] ?? {});
  const insert = db.prepare(
    `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
  );
  const values = rows.map((row) => columns.map((column) => row[column]));
  return (index) => insert.run(...(values[index] as unknown[]));
}

function grouped(
  db: Database.Database,
  count: number,
  transactions: number,
  write: (index: number) => void,
): number {
  const size = Math.max(1, Math.ceil(count / transactions));
  const group = db.transaction((first: number) => {
    for (let index = first; index < Math.min(first + size, count); index++) write(index);
  });
  const began = performance.now();
  for (let first = 0; first < count; first += size) group.immediate(first);
  const spent = performance.now() - began;
  db.close();
  return spent;
}
