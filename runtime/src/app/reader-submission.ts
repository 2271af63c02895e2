import type { Settlement } from '../conversation/projections/chunk.ts';
import { isCompactionRequest } from '../conversation/projections/project-batch.ts';
import { type AgentReply, foldReply } from '../conversation/projections/reply.ts';
import type { SubmissionSettled } from '../conversation/records/index.ts';
import type { FlueStore, Offset, SubmissionRow, SubmissionStatus } from '../ports/store.ts';
import { AgentInstanceNotFoundError, SubmissionNotFoundError } from './errors.ts';
import { readRange } from './reader-page.ts';
import { batchOf, findStream, type Stream } from './reader-stream.ts';

/** Where a submission stands, and what became of it (SUBR-01). */
export interface SubmissionReading {
  readonly submissionId: string;
  readonly state: SubmissionStatus;
  /** ISO 8601 */
  readonly acceptedAt: string;
  readonly uid: string;
  /** head after its message was recorded: updates from here show all that it causes */
  readonly offset: Offset;
  /** once settled */
  readonly settlement?: Settlement;
  /** after `completed` only */
  readonly reply?: AgentReply;
}

/** The submission's row; the cheap half of a reading, for one that waits for a change of state. */
export interface SubmissionPlace {
  readonly stream: Stream;
  readonly row: SubmissionRow;
}

/**
 * Throws `AgentInstanceNotFoundError` for an absent instance and `SubmissionNotFoundError` for an id that it never
 * accepted (HND-14).
 */
export async function findSubmission(
  store: FlueStore,
  path: string,
  submissionId: string,
): Promise<SubmissionPlace> {
  const stream = await findStream(store, path);
  if (!stream) throw new AgentInstanceNotFoundError({ id: instanceId(path) });
  const row = await store.submission(submissionId);
  if (!row || row.path !== path || isCompactionRequest(submissionId)) {
    throw new SubmissionNotFoundError({ submissionId });
  }
  return { stream, row };
}

/** Costs the submission's own records, whatever the length of the conversation (SUBR-04, HND-16). */
export async function describeSubmission(
  store: FlueStore,
  { stream, row }: SubmissionPlace,
): Promise<SubmissionReading> {
  const { submissionId, status, acceptedAt, admittedOffset } = row;
  const reading = { submissionId, state: status, acceptedAt, uid: stream.uid, offset: admittedOffset };
  if (row.settledOffset === undefined) return reading;

  const record = await settlementRecord(store, row, row.settledOffset);
  const settlement = settlementOf(record);
  if (record.outcome !== 'completed') return { ...reading, settlement };
  return { ...reading, settlement, reply: await replyOf(store, stream, row, record) };
}

async function settlementRecord(
  store: FlueStore,
  { path, submissionId }: SubmissionRow,
  settledOffset: Offset,
): Promise<SubmissionSettled> {
  const batch = batchOf(settledOffset);
  const [settling] = await readRange(store, path, { from: batch, upTo: batch });
  const record = settling?.records.find(
    (one): one is SubmissionSettled =>
      one?.type === 'submission_settled' && one.submissionId === submissionId,
  );
  if (!record) throw new Error(`${path}: batch ${batch} does not hold the settlement of ${submissionId}`);
  return record;
}

function settlementOf({
  submissionId,
  outcome,
  error,
  answeredBySubmissionId,
}: SubmissionSettled): Settlement {
  return {
    submissionId,
    outcome,
    ...(error && { error }),
    ...(answeredBySubmissionId !== undefined && { answeredBySubmissionId }),
  };
}

/** A joined delivery's reply is its host's, found by the recorded link and never by recency (SUBR-03). */
async function replyOf(
  store: FlueStore,
  stream: Stream,
  row: SubmissionRow,
  { answeredBySubmissionId, usage }: SubmissionSettled,
): Promise<AgentReply> {
  const host = answeredBySubmissionId === undefined ? row : await store.submission(answeredBySubmissionId);
  const range = { from: batchOf(host?.inputOffset ?? row.admittedOffset), upTo: batchOf(row.settledOffset!) };
  const batches = await readRange(store, row.path, { ...range, class: 'durable' });
  const content = foldReply(
    host?.submissionId ?? row.submissionId,
    batches.flatMap(({ records }) => records),
  );
  return { ...content, uid: stream.uid, submissionId: row.submissionId, ...(usage && { usage }) };
}

/** A path is `agents/<identity>/<id>`, and an identity holds no `/` (PRM-03). */
function instanceId(path: string): string {
  return path.split('/').slice(2).join('/');
}
