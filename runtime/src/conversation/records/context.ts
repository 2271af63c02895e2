import * as v from 'valibot';
import { count, envelope, inConversation, name, timestamp } from './envelope.ts';
import { promptUsage, resources } from './shapes.ts';

/** RCD-32. With `prompt` this is the baseline that the system prompt's catalogs were composed from. */
export const resourcesRecorded = v.object({
  ...envelope('resources_recorded'),
  snapshot: resources,
  prompt: v.exactOptional(v.string()),
});
export type ResourcesRecorded = v.InferOutput<typeof resourcesRecorded>;

/** RCD-33. Admitted like a delivery, and never one. */
export const compactionRequested = v.object({
  ...envelope('compaction_requested'),
  acceptedAt: timestamp,
  instructions: v.exactOptional(v.string()),
});
export type CompactionRequested = v.InferOutput<typeof compactionRequested>;

/** RCD-34. */
export const compaction = v.object({
  ...envelope('compaction'),
  ...inConversation,
  summary: v.string(),
  /** `null`: nothing kept */
  firstKeptEntryId: v.nullable(name),
  tokensBefore: count,
  files: v.object({ read: v.array(v.string()), modified: v.array(v.string()) }),
  reason: v.picklist(['threshold', 'overflow', 'manual']),
  usage: v.exactOptional(promptUsage),
});
export type Compaction = v.InferOutput<typeof compaction>;
