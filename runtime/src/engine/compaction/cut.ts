import { bodyOf } from '../../conversation/fold/calls.ts';
import { entryTokens, isInContext } from '../../conversation/fold/entries.ts';
import type { Entry } from '../../conversation/fold/state.ts';
import { isReserved } from '../../conversation/fold/step.ts';

/** Where a window is cut. What stands before `turn` is summarized as history, from there to `at` as the turn's early part. */
export interface Cut {
  /** the first entry that is kept; the number of entries when none is */
  readonly at: number;
  /** where the turn that is cut begins; `at` itself when the cut stands between turns */
  readonly turn: number;
}

/**
 * Keeps the newest entries of about so many tokens, from a user or assistant message on, and never less than what the
 * next model call answers (CMP-06, MODEL-07). `undefined`: nothing stands before them.
 */
export function findCut(entries: readonly Entry[], keepTokens: number): Cut | undefined {
  const recent = recentFrom(entries, keepTokens);
  if (recent === undefined) return undefined;
  const next = entries.findIndex((entry, place) => place >= recent && isCutPoint(entry));
  const at = Math.min(next < 0 ? entries.length : next, unansweredFrom(entries));
  if (!entries.slice(0, at).some(isInContext)) return undefined;
  return { at, turn: turnOf(entries, at) };
}

/** The place where that many tokens are reached, walking back; `undefined` when all of it is less. */
function recentFrom(entries: readonly Entry[], keepTokens: number): number | undefined {
  let sum = 0;
  let place = entries.length;
  while (sum < keepTokens) {
    if (place === 0) return undefined;
    place -= 1;
    const entry = entries[place]!;
    if (isInContext(entry)) sum += entryTokens(entry);
  }
  return place;
}

function isCutPoint(entry: Entry): boolean {
  return entry.kind === 'assistant' ? isInContext(entry) : opensTurn(entry);
}

/** A delivery, a prompt or an append, which a model call answers; the framework's own signals are no turn. */
function opensTurn(entry: Entry): boolean {
  if (entry.kind === 'user') return true;
  if (entry.kind !== 'signal') return false;
  const record = bodyOf(entry.held);
  return record.type === 'signal' && !isReserved(record.signalType);
}

/** The first of the messages, or of the calls with their results, to which no model call has answered. */
function unansweredFrom(entries: readonly Entry[]): number {
  let place = entries.length;
  for (let at = entries.length - 1; at >= 0; at -= 1) {
    const entry = entries[at]!;
    if (!isInContext(entry)) continue;
    // What was cut off and is to be continued answers nothing yet.
    if (entry.kind === 'assistant' && !entry.kept) return isCalled(entries, at) ? at : place;
    place = at;
  }
  return place;
}

function isCalled(entries: readonly Entry[], at: number): boolean {
  return entries[at + 1]?.kind === 'result';
}

/** Without its beginning, which an earlier compaction took, the turn's rest is history like any other. */
function turnOf(entries: readonly Entry[], at: number): number {
  const first = entries[at];
  if (first?.kind !== 'assistant') return at;
  const turn = entries.slice(0, at).findLastIndex(opensTurn);
  return turn < 0 ? at : turn;
}
