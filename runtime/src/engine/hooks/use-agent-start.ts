import { declareEventHook } from './declare-event-hook.ts';
import type { EventCallbacks } from './event-hooks.ts';

/**
 * Runs once for each delivered message, joined ones included, after it is durable and before the model reads it
 * (START-01). The callbacks of one message run at once, and the model waits for the slowest (START-02). What they append
 * and write commits together; an interruption before that runs them all again (SEAM-02). A throw fails the submission.
 */
export function useAgentStart(run: EventCallbacks['useAgentStart']): void {
  declareEventHook('useAgentStart', run);
}
