import { messageId, placedMessageId, type Signal, turnId, type UserMessage } from '../records/index.ts';
import { bodyOf } from './calls.ts';
import { type AssistantEntry, type Entry, type ResultEntry, ROOT } from './state.ts';

/** The id by which a compaction names the first entry it keeps (RCD-34); results have none. */
export function entryId(incarnation: string, conv: number, entry: Entry): string | undefined {
  switch (entry.kind) {
    case 'result':
      return undefined;
    case 'assistant':
      return turnId(entry.turn, conv === ROOT ? { host: entry.host } : { incarnation, conv });
    default:
      return entry.delivery === undefined
        ? placedMessageId(entry.held.batch, entry.held.index)
        : messageId(entry.delivery);
  }
}

/** Whether the model reads it: a failed turn, and an aborted one that nothing continues, are history only (RETRY-03). */
export function isInContext(entry: Entry): boolean {
  return entry.kind !== 'assistant' || entry.kept || (entry.stop !== 'error' && entry.stop !== 'aborted');
}

const CHARACTERS_PER_TOKEN = 3.5;
const CHARACTERS_PER_IMAGE = 4800;

/** Of text that no model has counted yet. */
export function estimateTokens(characters: number): number {
  return Math.ceil(characters / CHARACTERS_PER_TOKEN);
}

/** The same the other way round. */
export function charactersIn(tokens: number): number {
  return Math.floor(tokens * CHARACTERS_PER_TOKEN);
}

/** What the entry adds to a request, estimated (CMP-05); worked out once. */
export function entryTokens(entry: Entry): number {
  entry.tokens ??= estimateTokens(charactersOf(entry));
  return entry.tokens;
}

function charactersOf(entry: Entry): number {
  if (entry.kind === 'assistant') return charactersOfAnswer(entry);
  if (entry.kind === 'result') return charactersOfResult(entry);
  return charactersOfMessage(bodyOf(entry.held));
}

function charactersOfMessage(record: UserMessage | Signal): number {
  if (record.type === 'user_message') {
    return record.body.length + CHARACTERS_PER_IMAGE * (record.attachments?.length ?? 0);
  }
  const attributes = Object.entries(record.attributes ?? {});
  return attributes.reduce((sum, [key, value]) => sum + key.length + value.length, record.body.length);
}

function charactersOfAnswer(entry: AssistantEntry): number {
  return bodyOf(entry.held).content.reduce(
    (sum, part) => sum + (part.type === 'call' ? part.tool.length + part.args.length : part.text.length),
    0,
  );
}

function charactersOfResult(entry: ResultEntry): number {
  const { output, content, shown } = bodyOf(entry.held);
  if (!content) return Math.min(JSON.stringify(output).length, shown ?? Number.POSITIVE_INFINITY);
  return content.reduce(
    (sum, part) => sum + (part.type === 'text' ? part.text.length : CHARACTERS_PER_IMAGE),
    0,
  );
}
