import type { StoredBatch } from '@flue/runtime/adapter';
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
export async function readBatches(file: string, path: string): Promise<StoredBatch[]> {
  const adapter = sqlite(file);
  await adapter.migrate?.();
  const store = await adapter.connect();
  try {
    const batches: StoredBatch[] = [];
    for (let after = '-1'; ; ) {
      const page = await store.read(path, { after, limit: 1000 });
      batches.push(...page.batches);
      if (page.upToDate) return batches;
      after = page.nextOffset;
    }
  } finally {
    await adapter.close?.();
  }
}

export function recordsOf(batch: StoredBatch): StoredRecord[] {
  return batch.records.map((body) => JSON.parse(body) as StoredRecord);
}
