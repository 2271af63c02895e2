import { randomFillSync } from 'node:crypto';
import { monotonicFactory } from 'ulidx';
import type { Ids } from '../../ports/ids.ts';

export function ulidIds(): Ids {
  const next = monotonicFactory(bufferedRandom());
  return { ulid: () => next() };
}

/** Numbers in [0, 1): a call into the kernel costs more than the sixteen numbers that one id takes. */
function bufferedRandom(): () => number {
  const buffer = new Uint32Array(1024);
  let used = buffer.length;
  return () => {
    if (used === buffer.length) {
      randomFillSync(buffer);
      used = 0;
    }
    return buffer[used++]! / 2 ** 32;
  };
}
