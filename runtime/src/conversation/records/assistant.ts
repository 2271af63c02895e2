import * as v from 'valibot';
import { absent, count, envelope, inConversation, jsonObject, ordinal } from './envelope.ts';
import { assistantPart, fault, modelRef, promptUsage, stop } from './shapes.ts';

/** RCD-24. The one draft; `at` is the UTF-16 length that the block already has. */
export const assistantDelta = v.object({
  ...envelope('assistant_delta'),
  ts: absent,
  turn: ordinal,
  part: count,
  at: count,
  kind: v.picklist(['text', 'thinking']),
  delta: v.pipe(v.string(), v.minLength(1)),
  model: v.exactOptional(modelRef),
});
export type AssistantDelta = v.InferOutput<typeof assistantDelta>;

/** RCD-25. One model call, complete. */
export const assistantMessage = v.object({
  ...envelope('assistant_message'),
  ...inConversation,
  turn: ordinal,
  model: modelRef,
  content: v.array(assistantPart),
  stop,
  usage: v.exactOptional(promptUsage),
  fault: v.exactOptional(fault),
  replay: v.exactOptional(jsonObject),
});
export type AssistantMessage = v.InferOutput<typeof assistantMessage>;
