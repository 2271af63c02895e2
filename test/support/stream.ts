import type { FlueStore, StoredBatch } from '@flue/runtime/adapter';
import { sqlite } from '@flue/runtime/node';

export interface StoredRecord {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** All records of an instance in a database file, read without taking part in its work. */
export async function readStream(file: string, path: string): Promise<StoredRecord[]> {
  return (await readBatches(file, path)).flatMap(recordsOf);
}

/** All batches of an instance in a database file, read in the same way. */
export function readBatches(file: string, path: string): Promise<StoredBatch[]> {
  return openStore(file, async (store) => {
    const batches: StoredBatch[] = [];
    for (let after = '-1'; ; ) {
      const page = await store.read(path, { after, limit: 1000 });
      batches.push(...page.batches);
      if (page.upToDate) return batches;
      after = page.nextOffset;
    }
  });
}

/** Opens the store of a database file for `use` and closes it again. */
export async function openStore<T>(file: string, use: (store: FlueStore) => Promise<T>): Promise<T> {
  const adapter = sqlite(file);
  await adapter.migrate?.();
  try {
    return await use(await adapter.connect());
  } finally {
    await adapter.close?.();
  }
}

export function recordsOf(batch: StoredBatch): StoredRecord[] {
  return batch.records.map((body) => JSON.parse(body) as StoredRecord);
}
