import type { Fault } from '../../ports/model-shapes.ts';
import { head } from './lookups.ts';
import { type AssistantEntry, type Conversation, ROOT, type Window } from './state.ts';

/**
 * What the stream says about the work of the oldest unsettled submission: one member for each row of REC-08 that is
 * about evidence. Budget, deadline and abort are the row's to tell.
 */
export type ResponseEvidence =
  /** nothing is unsettled */
  | { readonly kind: 'idle' }
  /** a request to compact has its turn */
  | { readonly kind: 'compaction_requested' }
  /** accepted, and not yet in the model's context: a fresh run */
  | { readonly kind: 'unplaced' }
  /** a message is being drafted; it needs converge, after which the evidence is another */
  | { readonly kind: 'message_open' }
  /** the model ended and nothing came after: the would-stop point, or settled `completed` */
  | { readonly kind: 'stopped' }
  /** a complete tool batch that ends the loop: settled `completed` */
  | { readonly kind: 'terminated' }
  /** an aborted message that was seen: `stream_interrupted`, `stream_continued`, and on from there */
  | { readonly kind: 'partial' }
  /** calls without outcome in the root: repair */
  | { readonly kind: 'calls_open' }
  /** a model call is due: after the input, a complete tool batch, an append, or an abort that left nothing */
  | { readonly kind: 'turn_due' }
  /** the last model call failed; `inARow` counts it in */
  | { readonly kind: 'failed'; readonly fault: Fault['class']; readonly inARow: number };

/** Judged from the state alone, so no application code can break it (REC-03). */
export function responseEvidence(state: Conversation): ResponseEvidence {
  const next = head(state);
  if (!next) return { kind: 'idle' };
  if (next.kind === 'compact') return { kind: 'compaction_requested' };
  const { response } = state;
  if (!next.placed || response?.host !== next.submissionId) return { kind: 'unplaced' };
  if (state.open) return { kind: 'message_open' };
  if (state.toolBatches.has(ROOT)) return { kind: 'calls_open' };
  if (response.final) return { kind: response.final };
  return lastEvidence(state.windows.get(ROOT));
}

/** The last model call of a conversation failed and is still to be answered: as what, and how often in a row. */
export function failureOf(
  state: Conversation,
  conv: number,
): Extract<ResponseEvidence, { kind: 'failed' }> | undefined {
  const evidence = conv === ROOT ? responseEvidence(state) : lastEvidence(state.windows.get(conv));
  return evidence.kind === 'failed' ? evidence : undefined;
}

/** Overflows in a row to which no compaction has answered; 0 unless the last call ended in one (OVER-03). */
export function overflowsInARow(state: Conversation, conv: number): number {
  const failure = failureOf(state, conv);
  return failure?.fault === 'overflow' ? failure.inARow : 0;
}

function lastEvidence(window: Window | undefined): ResponseEvidence {
  const last = window?.entries.at(-1);
  if (!window || last?.kind !== 'assistant' || isAnswered(window, last)) return { kind: 'turn_due' };
  if (last.stop === 'error') {
    const fault = last.fault ?? 'terminal';
    return { kind: 'failed', fault, inARow: fault === 'overflow' ? window.overflows : window.failedTurns };
  }
  return last.stop === 'aborted' && last.shown && !last.kept ? { kind: 'partial' } : { kind: 'turn_due' };
}

/** A compaction came after it, so the turn is to be run again. */
function isAnswered({ summary }: Window, last: AssistantEntry): boolean {
  if (!summary) return false;
  const { batch, index } = last.held;
  return summary.batch > batch || (summary.batch === batch && summary.index > index);
}
