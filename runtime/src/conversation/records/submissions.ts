import * as v from 'valibot';
import { envelope, name, ordinal } from './envelope.ts';
import { outcome, promptUsage, settlementError } from './shapes.ts';

/** RCD-23. The first `running` or `joined` places the delivery in the model's context. */
export const submissionMoved = v.variant('to', [
  v.object({ ...envelope('submission_moved'), to: v.literal('running'), attempt: ordinal }),
  v.object({ ...envelope('submission_moved'), to: v.literal('joined'), host: name }),
  v.object({ ...envelope('submission_moved'), to: v.literal('queued') }),
]);
export type SubmissionMoved = v.InferOutput<typeof submissionMoved>;

/** RCD-35. `usage` is the response's total; `answeredBySubmissionId` names the host of a joined one. */
export const submissionSettled = v.object({
  ...envelope('submission_settled'),
  outcome,
  error: v.exactOptional(settlementError),
  answeredBySubmissionId: v.exactOptional(name),
  usage: v.exactOptional(promptUsage),
});
export type SubmissionSettled = v.InferOutput<typeof submissionSettled>;
