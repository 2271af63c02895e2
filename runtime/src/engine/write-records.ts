import { ROOT } from '../conversation/fold/state.ts';
import type { NewRecord } from '../conversation/records/index.ts';
import type { StateWrite } from './hooks/state-buffer.ts';

export interface RecordScope {
  /** the submission whose response this is */
  readonly host: string;
  readonly conv: number;
}

/** State writes as they stand in a batch. */
export function writeRecords({ host, conv }: RecordScope, writes: readonly StateWrite[]): NewRecord[] {
  return writes.map((write) => ({
    type: 'state_written',
    submissionId: host,
    ...(conv === ROOT ? write : unbound(write)),
  }));
}

/** A write within a delegate's call holds as soon as it is recorded: only the root's calls can be named (RCD-28). */
function unbound({ name, value }: StateWrite): Pick<StateWrite, 'name' | 'value'> {
  return { name, value };
}

/** Only children say where they stand (RCD-02). */
export function inConversation(conv: number): { conv?: number } {
  return conv === ROOT ? {} : { conv };
}
