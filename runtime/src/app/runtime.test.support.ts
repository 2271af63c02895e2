import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createModelGateway } from '../adapters/models/create-model-gateway.ts';
import { nodeHostProbe } from '../adapters/node/host-probe.ts';
import { ulidIds } from '../adapters/node/ulid-ids.ts';
import { defaultEnvironment } from '../adapters/sandbox/virtual.ts';
import { createSqliteAdapter } from '../adapters/sqlite/sqlite.ts';
import type { ConversationRecord } from '../conversation/records/index.ts';
import { decodeRecord } from '../conversation/records/index.ts';
import { parseOffset } from '../ports/offset.ts';
import type { DefaultEnvironment } from '../ports/sandbox.ts';
import type { PersistenceAdapter } from '../ports/store.ts';
import { type FakeClock, fakeClock } from '../testing/fake-clock.ts';
import { currentRuntime } from './current.ts';
import { instancePath } from './runtime.ts';
import { type Flue, type StartOptions, startRuntime } from './start.ts';

export interface TestRuntime extends Flue {
  readonly clock: FakeClock;
  /** what went to the server log */
  readonly log: readonly string[];
  /** whether something keeps the process alive */
  readonly holdsProcess: boolean;
  /** all records of an instance, in order */
  records(identity: string, id: string): Promise<ConversationRecord[]>;
  /** Moves the held clock in steps until the promise settles; what waits for time then gets it. */
  during<T>(promise: Promise<T>, stepMs?: number): Promise<T>;
}

/** A real runtime on real SQLite, with a clock that moves only on demand. */
export async function startTest(
  options: Omit<StartOptions, 'db'> & {
    db?: PersistenceAdapter;
    clock?: FakeClock;
    environment?: DefaultEnvironment;
  },
): Promise<TestRuntime> {
  const clock = options.clock ?? fakeClock();
  const log: string[] = [];
  let holds = 0;
  const flue = await startRuntime(
    { env: {}, ...options, db: options.db ?? memory(clock) },
    {
      clock,
      ids: ulidIds(),
      host: nodeHostProbe(),
      env: {},
      memoryStore: () => memory(clock),
      gateway: createModelGateway,
      environment: options.environment ?? defaultEnvironment(),
      writeLog: (text) => log.push(text),
      keepAlive: () => {
        holds += 1;
        return () => {
          holds -= 1;
        };
      },
    },
  );
  return {
    clock,
    log,
    get holdsProcess() {
      return holds > 0;
    },
    stop: (o) => flue.stop(o),
    [Symbol.asyncDispose]: () => flue.stop(),
    records: storedRecords,
    async during(promise, stepMs = 100) {
      let settled = false;
      promise.then(
        () => (settled = true),
        () => (settled = true),
      );
      for (let n = 0; n < 10_000 && !settled; n++) {
        await turns(3);
        if (!settled) await clock.advance(stepMs);
      }
      return promise;
    },
  };
}

/** All records of an instance of the runtime that runs, in order. */
export async function storedRecords(identity: string, id: string): Promise<ConversationRecord[]> {
  const { batches } = await currentRuntime()!.store.read(instancePath(identity, id), { limit: 1000 });
  return batches.flatMap(({ offset, records }) =>
    records.map((body, index) => decodeRecord(body, parseOffset(offset)!, index)!),
  );
}

/** Lets a few turns of the event loop pass: enough for one group commit and what follows it. */
export async function turns(n: number): Promise<void> {
  for (let i = 0; i < n; i++) await new Promise((resolve) => setImmediate(resolve));
}

/** Waits, in turns of the event loop, until something holds; fails loudly when it never does. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let n = 0; n < 5000; n++) {
    if (await holds()) return;
    await turns(1);
  }
  throw new Error('The condition never held.');
}

export function memory(clock: FakeClock): PersistenceAdapter {
  return createSqliteAdapter(':memory:', {}, clock.now);
}

/** A database file of its own, and the folder's removal. */
export function temporaryFile(): {
  path: string;
  adapter(clock: FakeClock): PersistenceAdapter;
  remove(): void;
} {
  const folder = mkdtempSync(join(tmpdir(), 'flue-test-'));
  const path = join(folder, 'flue.db');
  return {
    path,
    adapter: (clock) => createSqliteAdapter(path, {}, clock.now),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
