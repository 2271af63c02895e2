import * as v from 'valibot';
import { absent, envelope, json, name, ordinal } from './envelope.ts';

const { submissionId: _, ...birthEnvelope } = envelope('conversation_opened');

/** The birth of an instance: the first record of its stream, and the only one without a submission (RCD-51). */
const root = v.object({
  ...birthEnvelope,
  submissionId: absent,
  kind: v.literal('root'),
  uid: name,
  initialData: v.exactOptional(json),
});

const child = v.pipe(
  v.object({
    ...envelope('conversation_opened'),
    conv: ordinal,
    kind: v.picklist(['task', 'harness']),
    /** the conversation that it was opened from; absent means the root */
    parent: v.exactOptional(ordinal),
    call: v.exactOptional(name),
    hook: v.exactOptional(name),
    /** the delegate of a task */
    agent: v.exactOptional(name),
  }),
  v.check(
    (record) => (record.call === undefined) !== (record.hook === undefined),
    'exactly one of call and hook',
  ),
);

/** RCD-20. */
export const conversationOpened = v.union([root, child]);
export type RootOpened = v.InferOutput<typeof root>;
export type ConversationOpened = v.InferOutput<typeof conversationOpened>;
