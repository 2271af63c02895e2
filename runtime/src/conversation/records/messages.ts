import * as v from 'valibot';
import { SIGNAL_TAG_PATTERN } from '../../contract/names.ts';
import { envelope, inConversation, name, timestamp } from './envelope.ts';
import { attachmentRef } from './shapes.ts';

/** RCD-21. With `acceptedAt` an accepted delivery; without it a prompt in a child. */
export const userMessage = v.object({
  ...envelope('user_message'),
  ...inConversation,
  body: v.string(),
  attachments: v.exactOptional(v.array(attachmentRef)),
  acceptedAt: v.exactOptional(timestamp),
});
export type UserMessage = v.InferOutput<typeof userMessage>;

/** RCD-22. With `acceptedAt` an accepted delivery; without it appended by a hook or by the framework. */
export const signal = v.object({
  ...envelope('signal'),
  signalType: name,
  body: v.string(),
  attributes: v.exactOptional(v.record(v.string(), v.string())),
  tagName: v.exactOptional(v.pipe(v.string(), v.regex(SIGNAL_TAG_PATTERN))),
  acceptedAt: v.exactOptional(timestamp),
});
export type Signal = v.InferOutput<typeof signal>;
