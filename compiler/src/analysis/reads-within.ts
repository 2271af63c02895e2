import type { BindingId, Module, Range } from './program.ts';

/** An identifier that reads a binding. */
export interface Read {
  readonly offset: number;
  readonly binding: BindingId;
}

/** What is read in a part of a module, in the order of the text. */
export function readsWithin({ references }: Module, { start, end }: Range): Read[] {
  const reads: Read[] = [];
  for (let i = 0; i < references.length; i += 2) {
    const offset = references[i]!;
    if (offset >= start && offset < end) reads.push({ offset, binding: references[i + 1]! });
  }
  return reads;
}
