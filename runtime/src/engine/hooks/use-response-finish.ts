import { declareEventHook } from './declare-event-hook.ts';
import type { EventCallbacks } from './event-hooks.ts';

/**
 * Runs once per response, when nothing else will follow (RESP-02), at once and in declaration order. An object that it
 * returns is merged into the metadata of the response's message and commits with the settlement (RESP-04, RESP-07). A
 * throw, a promise or any other value fails the submission (RESP-03).
 */
export function useResponseFinish(run: EventCallbacks['useResponseFinish']): void {
  declareEventHook('useResponseFinish', run);
}
