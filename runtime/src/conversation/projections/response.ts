import type { JsonObject, JsonValue } from '../../ports/model-shapes.ts';
import { mergeMetadata } from '../metadata.ts';
import {
  type AssistantDelta,
  type AssistantMessage,
  type CallSettled,
  type ConversationRecord,
  type DataWritten,
  responseId,
  turnId,
} from '../records/index.ts';
import type { ConversationMessage, ConversationPart } from './chunk.ts';
import type { DecodedBatch } from './decoded-batch.ts';
import { isProse, isTool, settledTool, type ToolSettled } from './transcript.ts';

/**
 * What projecting the next batch needs to know of the response that is under way (RCD-80). It is folded from that
 * response's records alone, so any reader's position rebuilds it.
 */
export interface ResponseSlice {
  readonly host: string;
  /** first turn that showed anything; the message is there from then on */
  shown?: { turnId: string; timestamp?: string };
  /** turn whose drafts are being shown */
  drafting?: number;
  metadata?: JsonObject;
  /** by place (RCD-15): a data part may have been placed behind text whose drafts are gone */
  readonly parts: Map<number, ConversationPart>;
}

export function openResponse(host: string): ResponseSlice {
  return { host, parts: new Map() };
}

/**
 * Where a response stood at a reader's position, out of the batches from its input on that are still stored. `gap`:
 * drafts of the message under way are gone from them, so what the slice shows of that message is not all (RCD-82).
 */
export function rebuildResponse(
  host: string,
  batches: readonly DecodedBatch[],
  range: { readonly from: number; readonly upTo: number },
): { slice: ResponseSlice; gap: boolean } {
  const slice = openResponse(host);
  let gap = false;
  let last = range.from - 1;
  for (const { batch, records } of batches) {
    if (batch > range.upTo) break;
    if (batch !== last + 1) gap = true;
    last = batch;
    for (const record of records) {
      if (!record || record.conv !== undefined || record.submissionId !== host) continue;
      if (record.type === 'assistant_message' && !showsNothing(slice, record)) gap = false;
      foldResponse(slice, record);
    }
  }
  return { slice, gap: gap || last < range.upTo };
}

/** The response's message with every part it has by now, for a reader that missed some (STRM-05). */
export function wholeMessage(slice: ResponseSlice): ConversationMessage {
  const places = [...slice.parts.keys()].sort((a, b) => a - b);
  return structuredClone({
    id: responseId(slice.host),
    role: 'assistant',
    purpose: 'assistant',
    display: 'visible',
    submissionId: slice.host,
    ...slice.shown,
    parts: places.map((place) => slice.parts.get(place)!),
    ...(slice.metadata && { metadata: slice.metadata }),
  });
}

/** UTF-16 length that drafts have shown of the block at `place`. */
export function draftedLength(slice: ResponseSlice, place: number): number {
  const part = slice.parts.get(place);
  return part && isProse(part) ? part.text.length : 0;
}

/** A failed or aborted call without content shows nothing (RCD-81). */
export function showsNothing(slice: ResponseSlice, record: AssistantMessage): boolean {
  const ended = record.stop === 'error' || record.stop === 'aborted';
  return ended && record.content.length === 0 && slice.drafting !== record.turn;
}

/** Advances the slice by one root record of its response. */
export function foldResponse(slice: ResponseSlice, record: ConversationRecord): void {
  switch (record.type) {
    case 'assistant_delta':
      foldDelta(slice, record);
      return;
    case 'assistant_message':
      foldMessage(slice, record);
      return;
    case 'call_settled':
      foldOutcome(slice, record);
      return;
    case 'data_written':
      foldData(slice, record);
      return;
    case 'metadata_merged':
      slice.metadata = mergeMetadata(slice.metadata, record.metadata);
  }
}

function foldDelta(slice: ResponseSlice, record: AssistantDelta): void {
  slice.shown ??= { turnId: turnId(record.turn, slice) };
  slice.drafting = record.turn;
  const text = partText(slice, record.part).slice(0, record.at) + record.delta;
  slice.parts.set(record.part, { type: proseType(record.kind), text, state: 'streaming' });
}

function partText(slice: ResponseSlice, place: number): string {
  const part = slice.parts.get(place);
  return part && isProse(part) ? part.text : '';
}

function foldMessage(slice: ResponseSlice, record: AssistantMessage): void {
  if (showsNothing(slice, record)) return;
  slice.shown ??= { turnId: turnId(record.turn, slice) };
  slice.shown.timestamp ??= record.ts;
  delete slice.drafting;
  for (const block of record.content) {
    if (block.part === undefined) continue;
    slice.parts.set(
      block.part,
      block.type === 'call'
        ? {
            type: 'dynamic-tool',
            toolName: block.tool,
            toolCallId: block.id,
            state: 'input-available',
            input: parseArguments(block.args),
            inputValid: block.valid,
          }
        : { type: proseType(block.type), text: block.text, state: 'done' },
    );
  }
}

function foldOutcome(slice: ResponseSlice, record: CallSettled): void {
  for (const [place, part] of [...slice.parts].reverse()) {
    if (!isTool(part) || part.toolCallId !== record.call) continue;
    slice.parts.set(place, settledTool(part, toolSettled(slice.host, record)));
    return;
  }
}

function foldData(slice: ResponseSlice, record: DataWritten): void {
  const existing = slice.parts.get(record.part);
  const writes = existing && 'writes' in existing ? existing.writes : 0;
  slice.parts.set(record.part, { type: `data-${record.name}`, data: record.data, writes: writes + 1 });
}

export function proseType(kind: 'text' | 'thinking'): 'text' | 'reasoning' {
  return kind === 'text' ? 'text' : 'reasoning';
}

/** Arguments that are no JSON are shown as the text that the model wrote (RCD-83). */
export function parseArguments(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return text;
  }
}

/** The outcome of one call as readers see it. */
export function toolSettled(host: string, record: CallSettled): ToolSettled {
  const address = { messageId: responseId(host), toolCallId: record.call, toolName: record.tool };
  const more = {
    ...(record.durationMs !== undefined && { durationMs: record.durationMs }),
    timestamp: record.ts,
  };
  return record.status === 'ok'
    ? { type: 'tool-output', ...address, output: record.output ?? contentText(record), ...more }
    : { type: 'tool-output-error', ...address, errorText: contentText(record), ...more };
}

function contentText(record: CallSettled): string {
  if (!record.content) return JSON.stringify(record.output ?? null);
  return record.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}
