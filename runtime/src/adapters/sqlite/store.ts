import type { Database } from 'better-sqlite3';
import type { FlueStore } from '../../ports/store.ts';
import { PersistenceError } from '../../ports/store-errors.ts';
import { prepareAbort } from './abort.ts';
import { prepareAdmit } from './admit.ts';
import { checkAttachments, prepareGetAttachment } from './attachments.ts';
import { checkBatchSize } from './batches.ts';
import { prepareBeat } from './beat.ts';
import { prepareClaim } from './claim.ts';
import { prepareCommit } from './commit.ts';
import { prepareErase } from './erase.ts';
import { isBusy, toPersistenceError } from './failures.ts';
import { createWriteGroup } from './group-commit.ts';
import { prepareLoad, prepareSubmission, requireOffset } from './load.ts';
import { retryBusy } from './open.ts';
import { prepareRead } from './read.ts';
import { prepareRename } from './rename.ts';
import { prepareExplainRefusal, RowChangeRefused } from './row-changes.ts';
import { createWatchers } from './watch.ts';

export interface StoreOptions {
  readonly file: string;
  readonly synchronous: 'full' | 'normal';
  readonly busyMs: number;
  readonly now: () => number;
  /** other processes may write the same file */
  readonly shared: boolean;
}

export interface OpenStore {
  readonly store: FlueStore;
  /** Lets what was asked settle, then refuses everything else (ADP-04, SQL-14). */
  close(): Promise<void>;
}

/**
 * The ten methods, erasure and renaming over one connection. Writes go through the group; reads run at once, since no transaction is ever
 * open between two turns of the event loop.
 */
export function createStore(db: Database, options: StoreOptions): OpenStore {
  const connection = { db, now: options.now };
  const group = createWriteGroup(db, options);
  const watchers = createWatchers(db, options.shared);
  const operations = {
    beat: prepareBeat(connection),
    admit: prepareAdmit(connection),
    claim: prepareClaim(connection),
    commit: prepareCommit(connection),
    abort: prepareAbort(connection),
    erase: prepareErase(connection),
    rename: prepareRename(connection),
    load: db.transaction(prepareLoad(connection)),
    submission: prepareSubmission(connection),
    read: prepareRead(connection),
    attachment: prepareGetAttachment(connection),
    explainRefusal: prepareExplainRefusal(connection),
  };
  let open = true;
  let reads = 0;

  const store: FlueStore = {
    async beat(self, o) {
      requireOpen();
      const result = await group.write(() => operations.beat(self, o), { sync: false });
      if (o.retire && o.retire.length > 0) watchers.hint('any');
      return result;
    },

    async admit(admission) {
      requireOpen();
      const { create, accepted } = admission;
      checkBatchSize(create ? [create.birth, accepted] : [accepted]);
      const attachments = checkAttachments(admission.attachments);
      const result = await group.write(() => operations.admit(admission, attachments));
      if (result.kind === 'admitted') watchers.hint({ path: admission.path });
      return result;
    },

    async claim(ownerId, o) {
      requireOpen();
      const claims = await group.write(() => operations.claim(ownerId, o), { sync: false });
      for (const { path } of claims) {
        watchers.held.add(path);
        watchers.hint({ path });
      }
      return claims;
    },

    async commit(fence, commit) {
      requireOpen();
      checkBatchSize(commit.records);
      const attachments = checkAttachments(commit.attachments);
      const drafts = (commit.reclaim ?? []).map((offset) => requireOffset('commit', fence.path, offset));
      try {
        const write = () => operations.commit(fence, commit, attachments, drafts);
        const { result, ended } = await group.write(write);
        if (ended) watchers.held.delete(fence.path);
        watchers.hint({ path: fence.path });
        return result;
      } catch (error) {
        throw error instanceof RowChangeRefused ? operations.explainRefusal(error) : error;
      }
    },

    async abort(path, o) {
      requireOpen();
      const result = await group.write(() => operations.abort(path, o));
      if (result.affected.length > 0) watchers.hint({ path });
      return result;
    },

    async erase(path, uid) {
      requireOpen();
      await group.write(() => operations.erase(path, uid));
      watchers.hint({ path });
    },

    async rename(oldIdentity, newIdentity) {
      const moves = await read(() => operations.rename.plan(oldIdentity, newIdentity));
      for (const one of moves) await group.write(() => operations.rename.move(one, newIdentity));
      if (moves.length > 0) watchers.hint('any');
      return { moved: moves.length };
    },

    load: (path, o) => read(() => operations.load(path, o)),
    submission: (submissionId) => read(() => operations.submission(submissionId)),
    attachment: (path, attachmentId) => read(() => operations.attachment(path, attachmentId)),
    read: (path, o) => read(() => operations.read(path, o)),
    watch: (listener) => watchers.watch(listener),
  };

  return { store, close };

  function requireOpen(): void {
    if (!open) throw new PersistenceError({ reason: 'closed', dev: `${options.file} was closed.` });
  }

  async function read<T>(operation: () => T | Promise<T>): Promise<T> {
    requireOpen();
    reads++;
    try {
      return await operation();
    } catch (error) {
      if (!isBusy(error)) throw toPersistenceError(error, options.file);
      return await again(operation);
    } finally {
      reads--;
    }
  }

  async function again<T>(operation: () => T | Promise<T>): Promise<T> {
    try {
      return await retryBusy(options.busyMs, operation);
    } catch (error) {
      throw toPersistenceError(error, options.file);
    }
  }

  async function close(): Promise<void> {
    open = false;
    watchers.close();
    await group.drain();
    while (reads > 0) await new Promise((resolve) => setImmediate(resolve));
    try {
      db.pragma('wal_checkpoint(TRUNCATE)');
    } catch {
      // On a full or damaged disk everything stays in the WAL file, where the next process finds it.
    }
    db.close();
  }
}
