import { isLive } from '../lookups.ts';
import { isAdmission } from '../slices/queue.ts';
import { isSignalAs, later, type Step, violation } from '../step.ts';

/** RCD-55: whose id a record carries, and that an owner writes only for the response that it has announced. */
export function checkHost(step: Step): void {
  const { state, record, batch } = step;
  if (isOfDelivery(step)) return;
  const { response } = state;
  if (!response) violation(step, 'host', 'no response is there');
  const expected = seamOwner(step) ?? response.host;
  if (
    record.submissionId !== expected &&
    !(record.type === 'state_written' && record.submissionId === response.host)
  ) {
    violation(step, 'host', `it belongs to ${expected}`);
  }
  if (!isLive(state, batch.epoch) && !mayFollowTakeover(step, response.host)) {
    violation(step, 'host', `epoch ${batch.epoch} has not announced ${response.host}`);
  }
}

/** The records that carry a delivery's own id, and the birth, which carries none. */
function isOfDelivery(step: Step): boolean {
  const { record } = step;
  if (record.type === 'submission_moved' || record.type === 'submission_settled') return true;
  if (record.type === 'conversation_opened' && record.kind === 'root') return true;
  return isAdmission(record) || isSignalAs(record, 'advisory');
}

/** The delivery of the start seam that the record is part of. */
function seamOwner(step: Step): string | undefined {
  const { record } = step;
  if (record.type === 'seam_closed') return record.seam === 'start' ? record.submissionId : undefined;
  if (!isSignalAs(record, 'append') && !(record.type === 'state_written' && record.call === undefined))
    return undefined;
  const seam = later(step, (other) => other.type === 'seam_closed');
  return seam?.type === 'seam_closed' && seam.seam === 'start' ? seam.submissionId : undefined;
}

/** What converge and settle write: a new owner needs no `running` for it (RCD-43). */
function mayFollowTakeover(step: Step, host: string): boolean {
  const { record } = step;
  if (record.type === 'assistant_message') return record.stop === 'aborted';
  if (record.type === 'call_settled') return record.interrupted === true;
  if (record.type !== 'metadata_merged' && !(record.type === 'state_written' && record.call === undefined))
    return false;
  return (
    later(step, (other) => other.type === 'submission_settled' && other.submissionId === host) !== undefined
  );
}
