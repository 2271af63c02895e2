import type { Settlement } from '../conversation/projections/chunk.ts';
import { isCompactionRequest } from '../conversation/projections/reader-state.ts';
import { type AgentReply, foldReply, type ReplyContent } from '../conversation/projections/reply.ts';
import type { ConversationRecord, SubmissionSettled } from '../conversation/records/index.ts';
import { cloneJson } from '../engine/json-value.ts';
import type { FlueStore, Offset, SubmissionRow, SubmissionStatus } from '../ports/store.ts';
import { AgentInstanceNotFoundError, SubmissionNotFoundError } from './errors.ts';
import { readRange } from './reader-page.ts';
import { batchOf, findStream, requireStream } from './reader-stream.ts';
import type { Admitted } from './runtime.ts';
import type { Told } from './settlements.ts';

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

/**
 * Throws `AgentInstanceNotFoundError` for an absent instance and `SubmissionNotFoundError` for an id that it never
 * accepted (HND-14).
 */
export async function requireSubmission(
  store: FlueStore,
  path: string,
  submissionId: string,
): Promise<SubmissionRow> {
  const row = await store.submission(submissionId);
  if (row?.path === path && !isCompactionRequest(submissionId)) return row;
  if (await findStream(store, path)) throw new SubmissionNotFoundError({ submissionId });
  throw new AgentInstanceNotFoundError({ id: instanceId(path) });
}

/** Costs the submission's own records, whatever the length of the conversation (SUBR-04, HND-16). */
export async function describeSubmission(
  store: FlueStore,
  row: SubmissionRow,
  /** of the incarnation, where the reader knows it already */
  known?: string,
): Promise<SubmissionReading> {
  const { path, submissionId, status, acceptedAt, admittedOffset } = row;
  const uid = known ?? (await requireStream(store, path)).uid;
  const reading = { submissionId, state: status, acceptedAt, uid, offset: admittedOffset };
  if (row.settledOffset === undefined) return reading;

  const response = await readResponse(store, row, batchOf(row.settledOffset));
  const record = response.records.find(
    (one): one is SubmissionSettled =>
      one?.type === 'submission_settled' && one.submissionId === submissionId,
  );
  if (!record) throw new Error(`${path}: no settlement of ${submissionId} at ${row.settledOffset}`);
  return settledReading(reading, record, foldReply(response.host, response.records));
}

/** The same out of what was told of the settlement; `undefined` where the reply is not a part of that. */
export function describeTold(admitted: Admitted, { record, content }: Told): SubmissionReading | undefined {
  if (!content) return undefined;
  const { submissionId, acceptedAt, uid, offset } = admitted;
  const reading = { submissionId, state: 'settled' as const, acceptedAt, uid, offset };
  // The caller may change what it gets, and these records are still in use.
  return cloneJson(settledReading(reading, record, content));
}

function settledReading(
  reading: SubmissionReading,
  record: SubmissionSettled,
  content: ReplyContent,
): SubmissionReading {
  const settlement = settlementOf(record);
  if (record.outcome !== 'completed') return { settlement, ...reading };
  const { submissionId, uid } = reading;
  const { usage } = record;
  const reply = { uid, submissionId, ...content, ...(usage && { usage }) };
  return { settlement, reply, ...reading };
}

/**
 * The records from a completed response's input to its settlement; of any other its settlement alone. A joined delivery
 * has its host's, found by the recorded link and never by recency (SUBR-03).
 */
async function readResponse(
  store: FlueStore,
  row: SubmissionRow,
  upTo: number,
): Promise<{ host: string; records: (ConversationRecord | undefined)[] }> {
  const host = row.host === undefined ? row : ((await store.submission(row.host)) ?? row);
  const replies = row.outcome === 'completed' && host.inputOffset !== undefined;
  const from = replies ? batchOf(host.inputOffset) : upTo;
  const batches = await readRange(store, row.path, { from, upTo, class: 'durable' });
  return { host: host.submissionId, records: batches.flatMap(({ records }) => records) };
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

/** A path is `agents/<identity>/<id>`, and an identity holds no `/` (PRM-03). */
function instanceId(path: string): string {
  return path.split('/').slice(2).join('/');
}
