import type { Conversation } from '../conversation/fold/state.ts';

/**
 * Folded states of idle instances, so that the next message folds only what came since. A cache: any of them may be
 * gone, and none is trusted beyond its own head (CKP-09).
 */
export interface Residents {
  /** Takes the state out: from here its attempt owns it. */
  take(path: string, incarnation: string): Conversation | undefined;
  put(path: string, state: Conversation): void;
}

export function createResidents(capacity = 64): Residents {
  const states = new Map<string, Conversation>();
  return {
    take(path, incarnation) {
      const state = states.get(path);
      states.delete(path);
      return state?.incarnation === incarnation ? state : undefined;
    },
    put(path, state) {
      states.delete(path);
      states.set(path, state);
      if (states.size > capacity) states.delete(states.keys().next().value as string);
    },
  };
}
