import * as v from 'valibot';
import type { JsonObject, JsonValue } from '../../ports/model-shapes.ts';

/** The version of every record type so far; a type whose meaning changes takes the next one (RCD-08). */
export const RECORD_VERSION = 1;

/** A place, or a count that starts at nothing. */
export const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
/** A place in an order that starts at one. */
export const ordinal = v.pipe(v.number(), v.safeInteger(), v.minValue(1));
export const name = v.pipe(v.string(), v.minLength(1));
export const timestamp = v.pipe(v.string(), v.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/));

/** What came out of `JSON.parse`, or obeyed JSON-01 where it was written; so only presence is left to check. */
export const json = v.custom<JsonValue>((value) => value !== undefined);
export const jsonObject = v.custom<JsonObject>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
);

/** Named, so that such a field is refused where it means nothing instead of being passed over (RCD-50). */
export const absent = v.exactOptional(v.never());

/** RCD-02. `conv` and `turn` are refused here; the types that have them say so after spreading this. */
export function envelope<Type extends string>(type: Type) {
  return {
    v: v.literal(RECORD_VERSION),
    type: v.literal(type),
    ts: timestamp,
    skip: v.exactOptional(v.literal(true)),
    submissionId: name,
    conv: absent,
    turn: absent,
  };
}

/** For the types that may belong to a child: absent means the root. */
export const inConversation = { conv: v.exactOptional(ordinal) };
