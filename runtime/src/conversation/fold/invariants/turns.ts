import type { AssistantDelta } from '../../records/index.ts';
import { ROOT } from '../state.ts';
import { isStep, type Step, violation } from '../step.ts';

/** RCD-56: one model call after the other, each after its boundary is complete. */
export function checkTurn(step: Step): void {
  const { state, record, conv } = step;
  if (record.type !== 'assistant_message' && record.type !== 'assistant_delta') return;
  const next = (state.windows.get(conv)?.turn ?? 0) + 1;
  if (record.turn !== next) violation(step, 'turn', `the next turn is ${next}`);
  if (state.toolBatches.has(conv)) violation(step, 'turn', 'calls of the turn before are unsettled');
  if (conv !== ROOT) return;
  if (state.response?.kind === 'compact') violation(step, 'turn', 'a request to compact takes no turn');
  const seam = state.queue.pending.find((pending) => pending.placed && !pending.startSeamClosed);
  if (seam) violation(step, 'turn', `the start seam of ${seam.submissionId} is not closed`);
  if (!state.resources) violation(step, 'turn', 'there is no baseline');
}

/** RCD-57: deltas come alone, and each goes on where the last one ended. */
export function checkDraft(step: Step): void {
  const isDelta = isStep(step, 'assistant_delta');
  if (step.batch.class === 'draft' && !isDelta) violation(step, 'draft', 'a draft batch holds deltas only');
  if (!isDelta) return;
  if (step.batch.class !== 'draft') violation(step, 'draft', 'a delta belongs to a draft batch');
  checkContinuation(step);
}

function checkContinuation(step: Step<AssistantDelta>): void {
  const { state, record } = step;
  if (!state.open && !record.model) violation(step, 'draft', 'the first delta names the model');
  if (state.open?.partial) return;
  const last = state.open?.blocks.at(-1);
  if (last && last.part === record.part) {
    if (last.kind !== record.kind) violation(step, 'draft', `part ${record.part} is ${last.kind}`);
    if (last.text.length !== record.at)
      violation(step, 'draft', `part ${record.part} ends at ${last.text.length}`);
    return;
  }
  const next = state.response?.nextPart ?? 0;
  if (record.part !== next || record.at !== 0)
    violation(step, 'draft', `the next part is ${next}, and begins at 0`);
}

/** RCD-58: what was shown stays where and what it is, and the rest takes the next free places. */
export function checkContent(step: Step): void {
  if (!isStep(step, 'assistant_message')) return;
  const { state, record, conv } = step;
  const open = conv === ROOT ? state.open : undefined;
  const drafted = open?.blocks ?? [];
  const free = conv === ROOT ? (state.response?.nextPart ?? 0) : 0;
  let next = free;
  let shown = 0;
  for (const part of record.content) {
    if (part.type !== 'call' && part.text === '') {
      if (part.part !== undefined) violation(step, 'content', `part ${part.part} shows nothing`);
      continue;
    }
    const block = drafted[shown];
    if (block) {
      shown += 1;
      const extendsIt =
        part.type === block.kind && part.part === block.part && part.text.startsWith(block.text);
      if (!extendsIt) violation(step, 'content', `part ${block.part} contradicts its draft`);
    } else if (open?.partial && part.part !== undefined && part.part < free) {
      // Drafted, but its draft is gone: it was judged when it was written.
    } else {
      if (part.part !== next) violation(step, 'content', `the next free part is ${next}`);
      next += 1;
    }
  }
  const missing = drafted[shown];
  if (missing) violation(step, 'content', `part ${missing.part} was drafted and is missing`);
}

/** RCD-59: how a message ended agrees with what it holds. */
export function checkStop(step: Step): void {
  if (!isStep(step, 'assistant_message')) return;
  const { stop, content, fault } = step.record;
  const hasCalls = content.some((part) => part.type === 'call');
  if (hasCalls && (stop === 'error' || stop === 'aborted'))
    violation(step, 'stop', `a message that ended by ${stop} holds no call`);
  if (stop === 'toolUse' && !hasCalls) violation(step, 'stop', 'toolUse needs a call');
  if ((fault !== undefined) !== (stop === 'error'))
    violation(step, 'stop', 'a fault goes with error, and only with it');
}
