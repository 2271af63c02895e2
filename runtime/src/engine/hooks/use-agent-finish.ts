import { declareEventHook } from './declare-event-hook.ts';
import type { EventCallbacks } from './event-hooks.ts';

/**
 * Runs whenever the model would stop, in declaration order, before the response settles (FIN-01). An append makes the
 * model go on, after which the callbacks run again, at most 32 times in one response (FIN-02, FIN-06). An interruption
 * before the append is durable runs them all again (SEAM-02). A throw fails the submission.
 */
export function useAgentFinish(run: EventCallbacks['useAgentFinish']): void {
  declareEventHook('useAgentFinish', run);
}
