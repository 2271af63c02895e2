import { recordedSteps } from '../conversation/fold/queries.ts';
import type { StateBuffer } from './hooks/state-buffer.ts';
import type { Sink } from './sink.ts';
import type { StepJournal } from './tools/tool-step.ts';
import { inUnit } from './unit.ts';
import { inConversation, type RecordScope, writeRecords } from './write-records.ts';

export interface StepJournalScope extends RecordScope {
  readonly sink: Sink;
  readonly path: string;
  readonly values: StateBuffer;
  readonly pace: Pick<StepJournal, 'mayStart'>;
}

/** Keeps the steps of one call in its conversation: each is one commit, with the state that its function wrote (RCD-26). */
export function stepJournal(scope: StepJournalScope, turn: number, call: string): StepJournal {
  const { sink, host, conv, values } = scope;
  const earlier = recordedSteps(sink.state, conv, call);

  return {
    replay(name) {
      const at = earlier.findIndex((step) => step.name === name);
      const found = earlier[at];
      if (!found) return undefined;
      // What was written by then, steps within this one included: that is what the code after it has read before.
      values.replaySteps(call, new Set(earlier.slice(0, at + 1).map((step) => step.name)));
      return { value: found.value, isUndefined: found.undef === true };
    },
    mayStart: scope.pace.mayStart,
    within: (step, fn) => inUnit({ instance: scope.path, call, step }, fn),
    async record(name, { value, isUndefined }) {
      const writes = writeRecords(scope, values.takeStep(call, name));
      await sink.write((batch) =>
        batch.add([
          ...writes,
          {
            type: 'step_recorded',
            submissionId: host,
            ...inConversation(conv),
            turn,
            call,
            name,
            value,
            ...(isUndefined && { undef: true as const }),
          },
        ]),
      );
    },
    drop: (name) => values.dropStep(call, name),
  };
}
