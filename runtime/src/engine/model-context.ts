import { type Conversation, type Entry, ROOT } from '../conversation/fold/state.ts';
import type { AssistantMessage, CallSettled, UserMessage } from '../conversation/records/index.ts';
import type { ModelContent, ModelMessage } from '../ports/model-gateway.ts';
import type { AttachmentRef } from '../ports/store.ts';
import { signalBlock } from './signal-block.ts';

/** Bytes of an attachment as base64. */
export type AttachmentData = (ref: AttachmentRef) => string;

/** The same, or `undefined` where the model takes no images. */
type ImageData = (ref: AttachmentRef) => string | undefined;

/** What the model reads of the main conversation, in order (the model-context column of records section 6). */
export function modelContext(state: Conversation, image: ImageData): ModelMessage[] {
  const window = state.windows.get(ROOT)!;
  const messages: ModelMessage[] = [];
  if (window.summary?.record) messages.push(userText(window.summary.record.summary));
  for (const entry of window.entries) {
    const message = messageOf(entry, image);
    if (message) messages.push(message);
  }
  return messages;
}

/** The attachments that the next request needs the bytes of. */
export function imagesOf(state: Conversation): AttachmentRef[] {
  return state.windows.get(ROOT)!.entries.flatMap(({ held }) => {
    const record = held.record;
    if (record?.type === 'user_message') return record.attachments ?? [];
    if (record?.type !== 'call_settled') return [];
    return (record.content ?? []).flatMap((part) => (part.type === 'image' ? [part.attachment] : []));
  });
}

function messageOf(entry: Entry, image: ImageData): ModelMessage | undefined {
  const { record } = entry.held;
  switch (record?.type) {
    case 'user_message':
      return userMessage(record, image);
    case 'signal':
      return userText(signalBlock(record));
    case 'assistant_message':
      return assistantMessage(record, entry.kind === 'assistant' && entry.kept);
    case 'call_settled':
      return toolResult(record, image);
    default:
      throw new Error(`[flue] the body of batch ${entry.held.batch} is not in memory.`);
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

/** Failed and cut-off messages are left out, unless the next one continues where they broke off (RCD-83, RETRY-03). */
function assistantMessage(record: AssistantMessage, continued: boolean): ModelMessage | undefined {
  const { model, content, replay } = record;
  if (record.stop === 'error' || (record.stop === 'aborted' && !continued)) return undefined;
  const stop = record.stop === 'aborted' ? 'stop' : record.stop;
  return { role: 'assistant', model, content, stop, ...(replay && { replay }) };
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
export function shown(text: string, limit: number | undefined): string {
  if (limit === undefined) return text;
  const bytes = Buffer.from(text);
  if (bytes.byteLength <= limit) return text;
  // The decoder puts U+FFFD for a character that the cut split.
  const head = bytes
    .subarray(0, limit)
    .toString()
    .replace(/\uFFFD$/, '');
  const line = head.lastIndexOf('\n');
  const kept = line > head.length / 2 ? head.slice(0, line) : head;
  return `${kept}\n[cut: the whole result has ${bytes.byteLength} bytes]`;
}
