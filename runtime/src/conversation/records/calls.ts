import * as v from 'valibot';
import { count, envelope, inConversation, json, name, ordinal } from './envelope.ts';
import { resultPart } from './shapes.ts';

/** RCD-26. */
export const stepRecorded = v.object({
  ...envelope('step_recorded'),
  ...inConversation,
  turn: ordinal,
  call: name,
  name,
  value: json,
  /** the value was `undefined`, and `value` is `null` */
  undef: v.exactOptional(v.literal(true)),
});
export type StepRecorded = v.InferOutput<typeof stepRecorded>;

/** RCD-27. `output` is shown as its JSON text, `content` as it is. */
export const callSettled = v.pipe(
  v.object({
    ...envelope('call_settled'),
    ...inConversation,
    turn: ordinal,
    call: name,
    tool: v.string(),
    status: v.picklist(['ok', 'error']),
    output: v.exactOptional(json),
    content: v.exactOptional(v.array(resultPart)),
    /** the byte limit by which the model's text was cut (TCALL-18) */
    shown: v.exactOptional(count),
    terminate: v.exactOptional(v.boolean()),
    interrupted: v.exactOptional(v.boolean()),
    /** milliseconds */
    durationMs: v.exactOptional(count),
  }),
  v.check(
    (record) => (record.output === undefined) !== (record.content === undefined),
    'exactly one of output and content',
  ),
);
export type CallSettled = v.InferOutput<typeof callSettled>;
