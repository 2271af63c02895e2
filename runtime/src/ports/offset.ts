import type { Offset } from './store.ts';

const WIDTH = 16;

/** Before the first batch of a stream. */
export const ORIGIN: Offset = '-1';

/** The offset of the n-th batch, counted from 1 (STR-01, STR-10: dense). */
export function formatOffset(batch: number): Offset {
  return `${'0'.repeat(WIDTH)}_${String(batch).padStart(WIDTH, '0')}`;
}

/** The batch number of an offset; 0 for the origin, `undefined` for text that is no offset. */
export function parseOffset(offset: string): number | undefined {
  if (offset === ORIGIN) return 0;
  return /^\d{16}_\d{16}$/.test(offset) ? Number(offset.slice(WIDTH + 1)) : undefined;
}
