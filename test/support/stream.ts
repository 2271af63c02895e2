import { sqlite } from '@flue/runtime/node';

export interface StoredRecord {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** All records of an instance in a database file, read without taking part in its work. */
export async function readStream(file: string, path: string): Promise<StoredRecord[]> {
  const adapter = sqlite(file);
  await adapter.migrate?.();
  const store = await adapter.connect();
  try {
    const records: StoredRecord[] = [];
    for (let after = '-1'; ; ) {
      const page = await store.read(path, { after, limit: 1000 });
      for (const batch of page.batches)
        records.push(...batch.records.map((body) => JSON.parse(body) as StoredRecord));
      if (page.upToDate) return records;
      after = page.nextOffset;
    }
  } finally {
    await adapter.close?.();
  }
}
