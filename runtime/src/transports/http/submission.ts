import { liveReadersOf } from '../../app/reader-live.ts';
import { describeSubmission, requireSubmission } from '../../app/reader-submission.ts';
import { lookUntil } from '../../app/reader-wait.ts';
import { InvalidRequestError } from '../../errors/invalid-request-error.ts';
import type { SubmissionRow } from '../../ports/store.ts';
import { jsonResponse } from './headers.ts';
import { park } from './park.ts';
import { type AgentRequest, queryValue } from './request.ts';

/** `GET /:id/submissions/:submissionId`: where one submission stands and what became of it (SUBR-01). */
export async function submission(request: AgentRequest): Promise<Response> {
  const { url, path, member, runtime } = request;
  const live = queryValue(url, 'live');
  if (live !== undefined && live !== 'long-poll') {
    throw new InvalidRequestError({ field: 'live', rule: 'must be long-poll or absent' });
  }
  const row = await requireSubmission(runtime.store, path, member);
  const shown = live && row.status !== 'settled' ? await nextState(request, row) : row;
  return jsonResponse(200, await describeSubmission(runtime.store, shown));
}

/** Answers at the first change of state, else with the same one after `longPollMs` (SUBR-02). */
async function nextState(
  { raw, path, member, runtime }: AgentRequest,
  row: SubmissionRow,
): Promise<SubmissionRow> {
  const look = async () => {
    const now = await requireSubmission(runtime.store, path, member);
    return now.status === row.status ? undefined : now;
  };
  const timeoutMs = runtime.settings.http.longPollMs;
  const changed = await park(raw, liveReadersOf(runtime), path, (signal) =>
    lookUntil(runtime, path, look, { signal, timeoutMs }),
  );
  return changed ?? row;
}
