import { monotonicFactory } from 'ulidx';
import type { Ids } from '../../ports/ids.ts';

export function ulidIds(): Ids {
  const next = monotonicFactory();
  return { ulid: () => next() };
}
