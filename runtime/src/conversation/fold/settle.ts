import type { JsonObject, JsonValue } from '../../ports/model-shapes.ts';
import type { Outcome, SettlementError, SubmissionKind } from '../../ports/store.ts';
import type { NewRecord } from '../records/index.ts';
import { interruptedCalls } from './converge.ts';
import { findPending } from './lookups.ts';
import type { Conversation, Pending } from './state.ts';

/** Why an advisory had to be written (REC-17); other failures give none. */
export type AdvisoryReason = 'exhausted_retry_budget' | 'exceeded_timeout' | 'aborted';

export interface Settlement {
  readonly submissionId: string;
  readonly outcome: Outcome;
  /** exactly when the outcome is not `completed` (SET-01) */
  readonly error?: SettlementError;
  readonly reason?: AdvisoryReason;
  /** how each came in, which the rows know */
  readonly kindOf: (submissionId: string) => SubmissionKind;
  /** what the finish callbacks left (RESP-07) */
  readonly writes?: readonly { readonly name: string; readonly value: JsonValue }[];
  readonly metadata?: JsonObject;
}

/**
 * The unit that ends a submission, with every delivery that joined its response (RCD-67): open calls are closed, the
 * outcome is told to the model where it needs telling, and each gets its settlement. The state must have converged.
 */
export function settleRecords(state: Conversation, settlement: Settlement): NewRecord[] {
  const { submissionId } = settlement;
  const settled = state.queue.pending.filter(
    (pending) =>
      pending.submissionId === submissionId || (pending.state === 'joined' && pending.host === submissionId),
  );
  if (!findPending(state, submissionId)) return [];
  const isHost = state.response?.host === submissionId;
  const interrupted = isHost ? interruptedCalls(state, () => true) : [];
  return [
    ...interrupted,
    ...output(settlement),
    ...settled.flatMap((pending) => advisory(settlement, pending, openTools(state, isHost))),
    ...settled.map((pending) => settledRecord(state, settlement, pending)),
  ];
}

function output({ submissionId, writes = [], metadata }: Settlement): NewRecord[] {
  const records: NewRecord[] = writes.map(({ name, value }) => ({
    type: 'state_written',
    submissionId,
    name,
    value,
  }));
  if (metadata) records.push({ type: 'metadata_merged', submissionId, metadata });
  return records;
}

function openTools(state: Conversation, isHost: boolean): string[] {
  if (!isHost) return [];
  return [...state.toolBatches.values()].flatMap((batch) =>
    batch.calls.filter((call) => !call.outcome).map((call) => call.tool),
  );
}

/** SET-07: the message and the interrupted calls, nothing more. */
function advisory(settlement: Settlement, pending: Pending, tools: readonly string[]): NewRecord[] {
  const { outcome, error, reason, kindOf } = settlement;
  if (outcome === 'completed' || pending.kind === 'compact') return [];
  const { submissionId } = pending;
  const attributes: Record<string, string> = { submissionId, kind: kindOf(submissionId) };
  if (reason) attributes.reason = reason;
  if (tools.length > 0) attributes.interruptedTools = tools.join(', ');
  return [
    {
      type: 'signal',
      submissionId,
      signalType: outcome === 'aborted' ? 'submission_aborted' : 'submission_interrupted',
      body: error?.message ?? '',
      attributes,
    },
  ];
}

function settledRecord(state: Conversation, settlement: Settlement, pending: Pending): NewRecord {
  const { outcome, error } = settlement;
  const { submissionId, host } = pending;
  const usage = state.response?.host === settlement.submissionId ? state.response.usage : undefined;
  return {
    type: 'submission_settled',
    submissionId,
    outcome,
    ...(error ? { error } : {}),
    ...(pending.state === 'joined' && host ? { answeredBySubmissionId: host } : {}),
    ...(usage ? { usage } : {}),
  };
}
