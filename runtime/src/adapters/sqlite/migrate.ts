import { randomUUID } from 'node:crypto';
import { readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { STORE_FORMAT, type StoreFormat } from '../../ports/store.ts';
import { prepareStamp } from './stamp.ts';

/** What turns a store of one format into one of the next. */
export interface MigrationStep {
  readonly from: number;
  /** the oldest format that may still operate on the result (VER-02) */
  readonly minReader: number;
  /** It changes rows that exist, so a copy of the file is made first (VER-06). */
  readonly rewrites: boolean;
  /** Runs inside the step's transaction; must neither begin nor end one. */
  readonly apply: (db: Database.Database) => void;
}

/** The formats that a runtime knows: the one that it writes, and the way there from each older one. */
export interface FormatLine extends StoreFormat {
  readonly steps: readonly MigrationStep[];
}

/** Format 1 is the first, so nothing leads to it yet. */
export const FORMAT_LINE: FormatLine = { ...STORE_FORMAT, steps: [] };

/**
 * Moves an older store forward in place, one transaction for each step and its stamp, so that a crash resumes behind
 * the last completed one (VER-03). Of several processes one takes a step; the others wait for its lock and find the
 * work done (VER-04).
 *
 * @param retry waits until the write lock can be had
 */
export async function migrate(
  db: Database.Database,
  file: string,
  line: FormatLine,
  retry: (work: () => void) => Promise<void>,
): Promise<void> {
  const stored = prepareStamp(db);
  for (let { format } = stored(); format < line.format; { format } = stored()) {
    const step = line.steps.find(({ from }) => from === format);
    if (!step) throw new Error(`[flue] no migration leads on from format ${format}.`);
    if (step.rewrites) await keepCopy(db, file, step.from);
    await retry(() => takeStep(db, step, stored));
  }
}

function takeStep(db: Database.Database, step: MigrationStep, stored: () => StoreFormat): void {
  db.transaction(() => {
    if (stored().format !== step.from) return;
    step.apply(db);
    const stamp = db.prepare('UPDATE flue_meta SET value = ? WHERE name = ?');
    stamp.run(String(step.from + 1), 'format');
    stamp.run(String(step.minReader), 'min_reader');
  }).immediate();
}

/**
 * `<file>.bak-<format>` by the engine's backup facility, which sees one state of the database whatever is written
 * meanwhile (VER-06). Another process may have taken the step while it ran; what was copied then is not kept.
 */
async function keepCopy(db: Database.Database, file: string, format: number): Promise<void> {
  const copy = `${file}.bak-${format}`;
  const unfinished = `${copy}.${randomUUID()}`;
  try {
    await db.backup(unfinished);
    if (formatOf(unfinished) !== format) return;
    renameSync(unfinished, copy);
    for (const older of copiesOf(file)) if (older !== copy) rmSync(older, { force: true });
  } finally {
    rmSync(unfinished, { force: true });
  }
}

/** Also makes the copy one file, which can be moved and given away as it is. */
function formatOf(file: string): number {
  const db = new Database(file);
  try {
    db.pragma('journal_mode = DELETE');
    return prepareStamp(db)().format;
  } finally {
    db.close();
  }
}

function copiesOf(file: string): string[] {
  const folder = dirname(file);
  const start = `${basename(file)}.bak-`;
  return readdirSync(folder)
    .filter((name) => name.startsWith(start) && /^\d+$/.test(name.slice(start.length)))
    .map((name) => join(folder, name));
}
