import { declareEventHook } from './declare-event-hook.ts';
import type { EventCallbacks } from './event-hooks.ts';

/**
 * Runs once per response, before its first model call (RESP-01), at once and in declaration order. An object that it
 * returns is merged into the metadata of the response's message, which clients see and the model does not (RESP-04,
 * RESP-06). A throw, a promise or any other value fails the submission (RESP-03).
 */
export function useResponseStart(run: EventCallbacks['useResponseStart']): void {
  declareEventHook('useResponseStart', run);
}
