import { converge } from '../conversation/fold/converge.ts';
import type { Conversation } from '../conversation/fold/state.ts';
import type { BatchBuilder } from '../engine/sink.ts';
import type { AttemptContext } from './attempt-context.ts';
import type { ResumePoint } from './decide.ts';

/**
 * The units with which an attempt begins: what its predecessor left open is closed, the submission is announced as
 * running, and text that was cut off is continued (section 4, example 2).
 */
export function openingUnits(
  batch: BatchBuilder,
  { claim }: AttemptContext,
  state: Conversation,
  from: ResumePoint,
): void {
  const { submissionId, attempts } = claim.row;
  batch.add(converge(state));
  batch.add(
    [{ type: 'submission_moved', submissionId, to: 'running', attempt: attempts }],
    [{ submissionId, to: 'running' }],
  );
  if (from === 'continue') {
    batch.add([
      {
        type: 'signal',
        submissionId,
        signalType: 'stream_interrupted',
        body: 'The message above was cut off by an interruption.',
      },
      {
        type: 'signal',
        submissionId,
        signalType: 'stream_continued',
        body: 'Continue it exactly where it stops. Do not repeat what is there.',
      },
    ]);
  }
}
