import { bodyOf } from '../conversation/fold/calls.ts';
import { type ContextItem, itemsOf, windowOf } from '../conversation/fold/queries.ts';
import type { Conversation, Entry } from '../conversation/fold/state.ts';
import type { CallSettled, UserMessage } from '../conversation/records/index.ts';
import type { ModelContent, ModelMessage } from '../ports/model-gateway.ts';
import type { AttachmentRef } from '../ports/store.ts';
import { signalBlock } from './signal-block.ts';

/** Bytes of an attachment as base64. */
export type AttachmentData = (ref: AttachmentRef) => string;

/** The same, or `undefined` where the model takes no images. */
type ImageData = (ref: AttachmentRef) => string | undefined;

/** How the model is shown an attachment. */
export type Showing = (ref: AttachmentRef) => readonly ModelContent[];

/**
 * What the model reads of a conversation, in order (the model-context column of records section 6).
 * @param named whether each image is followed by its id, by which a task can hand it on (TASK-06)
 */
export function modelContext(
  state: Conversation,
  image: ImageData,
  { conv, named }: { readonly conv: number; readonly named: boolean },
): ModelMessage[] {
  const show: Showing = (ref) => [
    imageContent(ref, image),
    ...(named ? [{ type: 'text', text: `(attachment id: ${ref.id})` } as const] : []),
  ];
  const { summary, entries } = windowOf(state, conv);
  const settled = settledMessages(entries);
  const start = summary ? [userText(bodyOf(summary).summary)] : [];
  const rest = itemsOf(entries.slice(settled.upTo)).map((item) => toModelMessage(item, show));
  return [...start, ...settled.messages, ...rest];
}

/** The same for a stretch of the window, as one that is summarized: images are told of and not shown. */
export function messagesOf(entries: readonly Entry[]): ModelMessage[] {
  return itemsOf(entries).map((item) => toModelMessage(item, omitted));
}

/** The messages of the entries up to a place, which no later record changes any more. */
interface Settled {
  upTo: number;
  last: Entry | undefined;
  readonly messages: ModelMessage[];
}

/**
 * By the list that they are of: a turn then costs what it adds, however long the conversation is. A compaction makes a
 * new list.
 */
const known = new WeakMap<readonly Entry[], Settled>();

/** An aborted message enters the context when what directly follows it continues it, so the newest entries stay open. */
const OPEN_ENTRIES = 4;

function settledMessages(entries: readonly Entry[]): Settled {
  let settled = known.get(entries);
  if (!settled || (settled.upTo > 0 && entries[settled.upTo - 1] !== settled.last)) {
    settled = { upTo: 0, last: undefined, messages: [] };
    known.set(entries, settled);
  }
  while (settled.upTo < entries.length - OPEN_ENTRIES) {
    const entry = entries[settled.upTo]!;
    const items = itemsOf([entry]);
    // Whether the model sees an image is the request's to say.
    if (items.some(holdsImages)) break;
    for (const item of items) settled.messages.push(toModelMessage(item, omitted));
    settled.last = entry;
    settled.upTo += 1;
  }
  return settled;
}

/** The attachments that the entries show. Asked at every turn, so it looks at what came since the last time. */
export function imagesOf(entries: readonly Entry[]): readonly AttachmentRef[] {
  let found = images.get(entries);
  if (!found || (found.upTo > 0 && entries[found.upTo - 1] !== found.last)) {
    found = { upTo: 0, last: undefined, refs: [] };
    images.set(entries, found);
  }
  for (; found.upTo < entries.length; found.upTo++) {
    found.last = entries[found.upTo]!;
    found.refs.push(...imagesIn(found.last));
  }
  return found.refs;
}

const images = new WeakMap<
  readonly Entry[],
  { upTo: number; last: Entry | undefined; readonly refs: AttachmentRef[] }
>();

function imagesIn({ held: { record } }: Entry): AttachmentRef[] {
  if (record?.type === 'user_message') return record.attachments ?? [];
  if (record?.type !== 'call_settled') return [];
  return (record.content ?? []).flatMap((part) => (part.type === 'image' ? [part.attachment] : []));
}

/** Whether the message depends on what the model can see. */
function holdsImages({ record }: ContextItem): boolean {
  if (record.type === 'user_message') return (record.attachments?.length ?? 0) > 0;
  return record.type === 'call_settled' && (record.content?.some((part) => part.type === 'image') ?? false);
}

/** One message of the model's context, as it is sent. */
export function toModelMessage(item: ContextItem, show: Showing): ModelMessage {
  switch (item.kind) {
    case 'summary':
      return userText(item.record.summary);
    case 'message':
      return item.record.type === 'signal'
        ? userText(signalBlock(item.record))
        : userMessage(item.record, show);
    case 'assistant': {
      const { model, content, replay } = item.record;
      return { role: 'assistant', model, content, stop: item.stop, ...(replay && { replay }) };
    }
    case 'result':
      return toolResult(item.record, show);
  }
}

function userText(text: string): ModelMessage {
  return { role: 'user', content: [{ type: 'text', text }] };
}

function userMessage({ body, attachments = [] }: UserMessage, show: Showing): ModelMessage {
  return {
    role: 'user',
    content: [{ type: 'text', text: body }, ...attachments.flatMap(show)],
  };
}

function toolResult(record: CallSettled, show: Showing): ModelMessage {
  const content: ModelContent[] = record.content?.flatMap((part) =>
    part.type === 'text' ? [part] : show(part.attachment),
  ) ?? [{ type: 'text', text: shown(JSON.stringify(record.output), record.shown) }];
  return { role: 'tool', call: record.call, tool: record.tool, isError: record.status === 'error', content };
}

const omitted: Showing = (ref) => [imageContent(ref, () => undefined)];

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
