import * as v from 'valibot';
import { count, envelope, json, jsonObject, name, ordinal } from './envelope.ts';

/** RCD-28. Bound to a call it holds when that call's batch commits; otherwise at once. */
export const stateWritten = v.pipe(
  v.object({
    ...envelope('state_written'),
    name,
    value: json,
    call: v.exactOptional(name),
    /** order of writing within the tool batch */
    n: v.exactOptional(ordinal),
    step: v.exactOptional(name),
  }),
  v.check(
    (record) =>
      record.call === undefined
        ? record.n === undefined && record.step === undefined
        : record.n !== undefined,
    'n goes with call, and step only with call',
  ),
);
export type StateWritten = v.InferOutput<typeof stateWritten>;

/** RCD-29. */
export const seamClosed = v.variant('seam', [
  v.object({ ...envelope('seam_closed'), seam: v.literal('start') }),
  v.object({ ...envelope('seam_closed'), seam: v.literal('finish'), cycle: ordinal }),
]);
export type SeamClosed = v.InferOutput<typeof seamClosed>;

/** RCD-30. */
export const metadataMerged = v.object({ ...envelope('metadata_merged'), metadata: jsonObject });
export type MetadataMerged = v.InferOutput<typeof metadataMerged>;

/** RCD-31. `part` is the same on every write of the name. */
export const dataWritten = v.object({ ...envelope('data_written'), name, data: json, part: count });
export type DataWritten = v.InferOutput<typeof dataWritten>;
