import type { Exec, Linker, Swap } from './flow-types.ts';
import type { Decider, World } from './world.ts';

/** Two order-sensitive calls that both sides make, in opposite order (FLUE2202): the first such pair. */
export function noteSwaps(
  exec: Exec,
  then: readonly World[],
  otherwise: readonly World[],
  by: Decider,
): void {
  for (const a of then) {
    for (const b of otherwise) {
      if (a.order === b.order || a.order.length < 2 || b.order.length < 2) continue;
      const swap = firstSwap(exec.linker, a, b);
      if (swap) {
        exec.swaps.push({ ...swap, decider: by });
        return;
      }
    }
  }
}

/** The same, where one of the paths has returned early. */
export function noteEarlySwaps(exec: Exec, ends: readonly World[]): void {
  for (const left of exec.returns) {
    const by = left.guards.at(-1);
    if (!by || left.order.length < 2) continue;
    for (const other of [...ends, ...exec.returns]) {
      const swap = other === left ? undefined : firstSwap(exec.linker, left, other);
      if (!swap) continue;
      exec.swaps.push({ ...swap, decider: by });
      return;
    }
  }
}

function firstSwap(linker: Linker, a: World, b: World): Omit<Swap, 'decider'> | undefined {
  // What both did before they parted is in one order already.
  let shared = 0;
  while (shared < a.order.length && a.order[shared] === b.order[shared]) shared++;
  const own = a.order.slice(shared);
  const others = b.order.slice(shared);
  if (own.length < 2 || others.length < 2) return undefined;
  const places = new Map(others.map((event, index) => [linker.orderKey(event), index]));
  const common = own.filter((event) => places.has(linker.orderKey(event)));
  for (let i = 1; i < common.length; i++) {
    const first = common[i - 1]!;
    const second = common[i]!;
    if (places.get(linker.orderKey(first))! > places.get(linker.orderKey(second))!) return { first, second };
  }
  return undefined;
}
