import { onTestFinished } from 'vitest';
import { currentRuntime } from '../app/current.ts';
import { init } from '../app/init.ts';
import { startTest, storedRecords, temporaryFile } from '../app/runtime.test.support.ts';
import type { ConversationRecord, RecordOf, RecordType } from '../conversation/records/index.ts';
import type { Agent } from '../engine/agent.ts';
import { parseOffset } from '../ports/offset.ts';
import { fakeClock } from '../testing/fake-clock.ts';

/* What the tests of the seams share: one instance of one agent, its records, and a model that is told what to say. */

export const ofType = <T extends RecordType>(records: ConversationRecord[], type: T) =>
  records.filter((record): record is RecordOf<T> => record.type === type);
export const recordsOf = (agent: Agent) => storedRecords(agent.name, 'a');
export const send = (agent: Agent, message: string) => init(agent, { id: 'a' }).dispatch(message);
export const failureOf = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: { outcome: string; cause: Record<string, unknown> & { meta: object } }) => error,
  );
export const call = (name: string) => ({ toolCalls: [{ name, arguments: {} }] });

/** Batch by batch, what kinds of records an instance's stream holds; drafts left out. */
export async function batchesOf(agent: Agent): Promise<string[][]> {
  const { batches } = await currentRuntime()!.store.read(`agents/${agent.name}/a`, { limit: 1000 });
  return batches
    .map(({ offset, records }) => ({ at: parseOffset(offset)!, records }))
    .map(({ records }) => records.map((body) => kindOf(JSON.parse(body) as ConversationRecord)));
}

export function kindOf(record: ConversationRecord): string {
  if (record.type === 'signal') return `signal ${record.signalType}`;
  if (record.type === 'seam_closed') return `${record.seam} seam`;
  return record.type;
}

/** A database that outlives its process, for the length of the test. */
export function persistent() {
  const file = temporaryFile();
  onTestFinished(() => file.remove());
  const clock = fakeClock();
  return (agents: Agent[]) => startTest({ agents, db: file.adapter(clock), clock });
}

/** An await that the test ends. */
export function gate() {
  let open = () => {};
  const state = { waiting: 0 };
  const pass = () => {
    state.waiting += 1;
    return new Promise<void>((resolve) => {
      open = resolve;
    });
  };
  return { state, pass, open: () => open() };
}
