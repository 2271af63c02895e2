import * as v from 'valibot';
import type {
  AssistantPart,
  Fault,
  ModelRef,
  PromptUsage,
  ResourceEntry,
  Resources,
  ResultPart,
} from '../../ports/model-shapes.ts';
import type { AttachmentRef, SettlementError } from '../../ports/store.ts';
import { count, jsonObject, name } from './envelope.ts';

/** Schemas of the shapes that the ports declare (section 2); typed by them, so that the two cannot drift. */

export const attachmentRef: v.GenericSchema<AttachmentRef> = v.object({
  id: name,
  mimeType: name,
  size: count,
  digest: name,
  filename: v.exactOptional(v.string()),
});

export const modelRef: v.GenericSchema<ModelRef> = v.object({ provider: name, id: name, api: name });

const textPart = v.object({
  type: v.literal('text'),
  text: v.string(),
  part: v.exactOptional(count),
  sig: v.exactOptional(v.string()),
});

const thinkingPart = v.object({
  type: v.literal('thinking'),
  text: v.string(),
  part: v.exactOptional(count),
  sig: v.exactOptional(v.string()),
  redacted: v.exactOptional(v.literal(true)),
});

const callPart = v.object({
  type: v.literal('call'),
  id: name,
  tool: v.string(),
  args: v.string(),
  valid: v.boolean(),
  part: count,
  sig: v.exactOptional(v.string()),
  replay: v.exactOptional(jsonObject),
});

export const assistantPart: v.GenericSchema<AssistantPart> = v.variant('type', [
  textPart,
  thinkingPart,
  callPart,
]);

export const resultPart: v.GenericSchema<ResultPart> = v.variant('type', [
  v.object({ type: v.literal('text'), text: v.string() }),
  v.object({ type: v.literal('image'), attachment: attachmentRef }),
]);

export const stop = v.picklist(['stop', 'toolUse', 'length', 'error', 'aborted']);

export const fault: v.GenericSchema<Fault> = v.object({
  class: v.picklist(['transient', 'overflow', 'terminal']),
  message: v.string(),
  reason: v.exactOptional(v.string()),
  status: v.exactOptional(count),
});

const amount = v.pipe(v.number(), v.finite(), v.minValue(0));
const amounts = { input: amount, output: amount, cacheRead: amount, cacheWrite: amount };

export const promptUsage: v.GenericSchema<PromptUsage> = v.object({
  ...amounts,
  totalTokens: amount,
  cost: v.object({ ...amounts, total: amount }),
});

const resourceEntry: v.GenericSchema<ResourceEntry> = v.tuple([name, v.pipe(v.string(), v.regex(/^[^:]+:/))]);

export const resources: v.GenericSchema<Resources> = v.object({
  instructions: v.string(),
  tools: v.array(resourceEntry),
  skills: v.array(resourceEntry),
  subagents: v.array(resourceEntry),
  environment: v.object({
    attached: v.boolean(),
    cwd: v.string(),
    generation: v.exactOptional(v.string()),
  }),
});

export const outcome = v.picklist(['completed', 'failed', 'aborted']);

export const settlementError: v.GenericSchema<SettlementError> = v.object({
  name: v.exactOptional(v.string()),
  message: v.string(),
  type: v.exactOptional(v.string()),
  details: v.exactOptional(v.string()),
  meta: v.exactOptional(jsonObject),
});
