import { converge, interruptedCalls } from '../conversation/fold/converge.ts';
import { queuedDeliveries } from '../conversation/fold/queries.ts';
import { type AdvisoryReason, settleRecords } from '../conversation/fold/settle.ts';
import type { Conversation, Pending } from '../conversation/fold/state.ts';
import { encodeRecord, type NewRecord, stamp } from '../conversation/records/index.ts';
import type { RecoveryOperation } from '../engine/events/event.ts';
import type { StateWrite } from '../engine/hooks/state-buffer.ts';
import type { BatchBuilder } from '../engine/sink.ts';
import type { FlueError } from '../errors/flue-error.ts';
import type { JsonObject } from '../ports/model-shapes.ts';
import type { Outcome, RowChange, SettlementError, SubmissionRow } from '../ports/store.ts';
import type { AttemptContext } from './attempt-context.ts';
import { SubmissionAbortedError } from './errors.ts';
import { toSettlementError } from './settlement-error.ts';
import type { StreamWriter } from './stream-writer.ts';

/** How an attempt ends: with an outcome for its submission, or by giving the work back. */
export type End =
  | {
      readonly do: 'settle';
      readonly outcome: Outcome;
      /** exactly when the outcome is not `completed` */
      readonly error?: FlueError;
      /** units that the same commit carries ahead of the settlement */
      readonly lead?: (batch: BatchBuilder) => void;
      /** state written after the last boundary */
      readonly writes?: readonly StateWrite[];
      /** what observers of the response's end added (RESP-07) */
      readonly metadata?: JsonObject;
    }
  | { readonly do: 'release'; readonly lead?: (batch: BatchBuilder) => void };

/**
 * One commit: what is still open is closed, the host and all that joined it get the outcome, and queued deliveries that
 * were asked to stop get theirs (SUB-03, ABT-05, JOI-06). Ownership ends with it.
 */
export async function settle(
  context: AttemptContext,
  writer: StreamWriter,
  end: Extract<End, { do: 'settle' }>,
): Promise<void> {
  const { submissionId } = context.claim.row;
  const error = end.error && describe(context, end.error, submissionId);
  if (end.error) tellRecovery(context, end.error);
  await writer.write((batch) => {
    end.lead?.(batch);
    batch.add(converge(writer.state));
    settleOne(batch, context, writer.state, {
      submissionId,
      outcome: end.outcome,
      error,
      cause: end.error,
      writes: end.writes,
      metadata: end.metadata,
    });
    abortStopped(batch, context, writer.state);
  });
}

/** What the runtime ends a submission with by itself, whatever its work was doing (EVT-13). */
function tellRecovery({ trace, claim, kindOf }: AttemptContext, error: FlueError): void {
  const recovery = RECOVERIES[error.type];
  if (!recovery) return;
  const { submissionId, attempts: attemptCount, maxAttempts } = claim.row;
  const about = { submissionId, kind: kindOf(submissionId), attemptCount, maxAttempts };
  trace.recovered(recovery[0], about, recovery[1], error);
}

const RECOVERIES: {
  readonly [type: string]: readonly [RecoveryOperation, 'agent_unavailable' | 'terminated'] | undefined;
} = {
  submission_timeout: ['enforce_deadline', 'terminated'],
  submission_retry_exhausted: ['reconcile_submission', 'terminated'],
  submission_interrupted: ['reconcile_submission', 'terminated'],
  agent_unavailable: ['start_submission', 'agent_unavailable'],
};

/**
 * Gives queued deliveries that were asked to stop their outcome in the middle of whatever the head is doing (ABT-06).
 * With `ask`, the rows are asked first: another process may have stamped them.
 */
export async function settleStopped(
  context: AttemptContext,
  writer: StreamWriter,
  { ask = false }: { readonly ask?: boolean } = {},
): Promise<void> {
  await writer.catchUp();
  if (ask) {
    for (const { submissionId } of queuedDeliveries(writer.state)) {
      const row = await context.store.submission(submissionId);
      if (row?.abortRequestedAt !== undefined) context.abortedIds.add(submissionId);
    }
  }
  await writer.write((batch) => abortStopped(batch, context, writer.state));
}

function abortStopped(batch: BatchBuilder, context: AttemptContext, state: Conversation): void {
  for (const submissionId of stoppedBehind(context, state)) {
    const cause = new SubmissionAbortedError();
    const error = toSettlementError(cause, submissionId);
    settleOne(batch, context, state, { submissionId, outcome: 'aborted', error, cause });
  }
}

/** Tells requests to compact what became of them; whether anything was compacted, their batch says (RCD-45). */
export function settleRequests(
  batch: BatchBuilder,
  context: AttemptContext,
  state: Conversation,
  requests: readonly Pending[],
  cause?: FlueError,
): void {
  for (const { submissionId } of requests) {
    const error = cause && describe(context, cause, submissionId);
    settleOne(batch, context, state, { submissionId, outcome: cause ? 'failed' : 'completed', error, cause });
  }
}

interface One {
  readonly submissionId: string;
  readonly outcome: Outcome;
  readonly error: SettlementError | undefined;
  readonly cause: FlueError | undefined;
  readonly writes?: readonly StateWrite[] | undefined;
  readonly metadata?: JsonObject | undefined;
}

function settleOne(batch: BatchBuilder, context: AttemptContext, state: Conversation, one: One): void {
  const { submissionId, outcome, error, cause } = one;
  if (cause) context.trace.failed(submissionId, cause);
  const reason = cause && REASONS[cause.type];
  const records = settleRecords(state, {
    submissionId,
    outcome,
    kindOf: (id) => context.kindOf(id),
    ...(error && { error }),
    ...(reason && { reason }),
    ...(one.writes && { writes: one.writes }),
    ...(one.metadata && { metadata: one.metadata }),
  });
  batch.add(records, rowsOf(records, error));
}

/** No row settles without its record, and no record without its row (RCD-42). */
function rowsOf(records: readonly NewRecord[], error: SettlementError | undefined): RowChange[] {
  return records.flatMap((record): RowChange[] =>
    record.type === 'submission_settled'
      ? [
          {
            submissionId: record.submissionId,
            to: 'settled',
            outcome: record.outcome,
            ...(error && { error }),
          },
        ]
      : [],
  );
}

const REASONS: { readonly [type: string]: AdvisoryReason | undefined } = {
  submission_aborted: 'aborted',
  submission_timeout: 'exceeded_timeout',
  submission_retry_exhausted: 'exhausted_retry_budget',
  submission_interrupted: 'exhausted_retry_budget',
};

function stoppedBehind({ abortedIds, claim }: AttemptContext, state: Conversation): string[] {
  return state.queue.pending
    .filter(
      (pending) =>
        pending.state === 'queued' &&
        abortedIds.has(pending.submissionId) &&
        pending.submissionId !== claim.row.submissionId,
    )
    .map((pending) => pending.submissionId);
}

/** A stop on request is no failure; everything else is logged whole, and the record names the line (SET-03). */
function describe(
  { ports, claim, identity }: AttemptContext,
  error: FlueError,
  submissionId: string,
): SettlementError {
  if (error.type === 'submission_aborted') return toSettlementError(error, submissionId);
  const ref = ports.logFailure(error, {
    agent: identity,
    submission: submissionId,
    attempt: claim.row.attempts,
  });
  return toSettlementError(error, submissionId, ref);
}

/** Gives the work back at a boundary, or where it was interrupted: one commit, and the attempt is refunded (SHD-02). */
export function release(
  { claim }: AttemptContext,
  writer: StreamWriter,
  end: Extract<End, { do: 'release' }>,
): Promise<void> {
  const { submissionId } = claim.row;
  const { state } = writer;
  return writer.write((batch) => {
    end.lead?.(batch);
    batch.add(converge(state));
    // The turn has to be over; a call that was cut off gets the outcome that recovery would give it (TBR-01).
    batch.add(interruptedCalls(state, () => true));
    const announced = state.queue.pending.some(
      (pending) => pending.submissionId === submissionId && pending.state === 'running',
    );
    const moved: NewRecord[] = announced ? [{ type: 'submission_moved', submissionId, to: 'queued' }] : [];
    batch.add(moved, [{ submissionId, to: 'queued', refund: true }]);
    batch.release();
  });
}

/** A stream that does not fold still owes its rows an outcome; nothing in it is touched (REC-13). */
export async function settleUnfoldable(context: AttemptContext, cause: FlueError): Promise<void> {
  const { ports, claim } = context;
  const ts = new Date(ports.clock.now()).toISOString();
  const rows = [claim.row, ...claim.joined];
  const error = describe(context, cause, claim.row.submissionId);
  const records = rows.map((row) => stamp(unfoldable(row, error, claim.row.submissionId), ts));
  await ports.store.commit(
    { path: claim.path, ownerId: ports.ownerId, epoch: claim.epoch },
    {
      seq: 1,
      class: 'durable',
      records: records.map(encodeRecord),
      rows: rows.map((row) => ({ submissionId: row.submissionId, to: 'settled', outcome: 'failed', error })),
    },
  );
  for (const record of records) {
    if (record.type !== 'submission_settled') continue;
    context.trace.failed(record.submissionId, cause);
    context.trace.settled(record);
  }
  ports.committed(claim, records);
}

function unfoldable({ submissionId }: SubmissionRow, error: SettlementError, host: string): NewRecord {
  return {
    type: 'submission_settled',
    submissionId,
    outcome: 'failed',
    error: error as Extract<NewRecord, { type: 'submission_settled' }>['error'],
    ...(submissionId !== host && { answeredBySubmissionId: host }),
  } as NewRecord;
}
