import type { DynamicReason } from '@flue/runtime/internal';

/** Ends an evaluation: the value is only known when the program runs, for this reason (EVALS-03). */
export class NotStatic extends Error {
  override readonly name = 'NotStatic';
  readonly reason: DynamicReason;

  constructor(reason: DynamicReason) {
    super(reason);
    this.reason = reason;
  }
}

/** The value, or why there is none. */
export function attempt(read: () => unknown): { value: unknown } | { error: NotStatic } {
  try {
    return { value: read() };
  } catch (error) {
    if (error instanceof NotStatic) return { error };
    throw error;
  }
}

export function raise(error: Error): never {
  throw error;
}
