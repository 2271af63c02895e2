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
