import { type ContextItem, contextItems, windowOf } from '../conversation/fold/queries.ts';
import type { Conversation } from '../conversation/fold/state.ts';
import type { CallSettled, UserMessage } from '../conversation/records/index.ts';
import type { ModelContent, ModelMessage } from '../ports/model-gateway.ts';
import type { AttachmentRef } from '../ports/store.ts';
import { signalBlock } from './signal-block.ts';

/** Bytes of an attachment as base64. */
export type AttachmentData = (ref: AttachmentRef) => string;

/** The same, or `undefined` where the model takes no images. */
type ImageData = (ref: AttachmentRef) => string | undefined;

/** What the model reads of the main conversation, in order (the model-context column of records section 6). */
export function modelContext(state: Conversation, image: ImageData): ModelMessage[] {
  return contextItems(state).map((item) => messageOf(item, image));
}

/** The attachments that the next request needs the bytes of. Asked at every turn, so it builds nothing. */
export function imagesOf(state: Conversation): AttachmentRef[] {
  const refs: AttachmentRef[] = [];
  for (const { held } of windowOf(state).entries) {
    if (held.record?.type === 'user_message') refs.push(...(held.record.attachments ?? []));
    if (held.record?.type !== 'call_settled') continue;
    for (const part of held.record.content ?? []) if (part.type === 'image') refs.push(part.attachment);
  }
  return refs;
}

/** Records never change, so neither do messages without images: a long conversation converts each of them once. */
const converted = new WeakMap<object, ModelMessage>();

function messageOf(item: ContextItem, image: ImageData): ModelMessage {
  const known = converted.get(item.record);
  if (known) return known;
  const message = convert(item, image);
  if (!holdsImages(item)) converted.set(item.record, message);
  return message;
}

/** Whether the message depends on what the model can see. */
function holdsImages({ record }: ContextItem): boolean {
  if (record.type === 'user_message') return (record.attachments?.length ?? 0) > 0;
  return record.type === 'call_settled' && (record.content?.some((part) => part.type === 'image') ?? false);
}

function convert(item: ContextItem, image: ImageData): ModelMessage {
  switch (item.kind) {
    case 'summary':
      return userText(item.record.summary);
    case 'message':
      return item.record.type === 'signal'
        ? userText(signalBlock(item.record))
        : userMessage(item.record, image);
    case 'assistant': {
      const { model, content, replay } = item.record;
      return { role: 'assistant', model, content, stop: item.stop, ...(replay && { replay }) };
    }
    case 'result':
      return toolResult(item.record, image);
  }
}

function userText(text: string): ModelMessage {
  return { role: 'user', content: [{ type: 'text', text }] };
}

function userMessage({ body, attachments = [] }: UserMessage, image: ImageData): ModelMessage {
  return {
    role: 'user',
    content: [{ type: 'text', text: body }, ...attachments.map((ref) => imageContent(ref, image))],
  };
}

function toolResult(record: CallSettled, image: ImageData): ModelMessage {
  const content: ModelContent[] = record.content?.map((part) =>
    part.type === 'text' ? part : imageContent(part.attachment, image),
  ) ?? [{ type: 'text', text: shown(JSON.stringify(record.output), record.shown) }];
  return { role: 'tool', call: record.call, tool: record.tool, isError: record.status === 'error', content };
}

function imageContent(ref: AttachmentRef, image: ImageData): ModelContent {
  const data = image(ref);
  return data === undefined
    ? { type: 'text', text: '(image omitted)' }
    : { type: 'image', mimeType: ref.mimeType, data };
}

/** The record is complete; the model gets at most `limit` UTF-8 bytes, cut at a line where one is near (TCALL-18). */
function shown(text: string, limit: number | undefined): string {
  if (limit === undefined) return text;
  const bytes = Buffer.from(text);
  if (bytes.byteLength <= limit) return text;
  let end = limit;
  // A byte 10xxxxxx continues a character, which then goes as a whole.
  while ((bytes[end]! & 0xc0) === 0x80) end--;
  const head = bytes.subarray(0, end).toString();
  const line = head.lastIndexOf('\n');
  const kept = line > head.length / 2 ? head.slice(0, line) : head;
  return `${kept}\n[cut: the whole result has ${bytes.byteLength} bytes]`;
}
