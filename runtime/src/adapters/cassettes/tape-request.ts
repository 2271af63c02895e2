import { createHash } from 'node:crypto';
import { canonicalJson } from '../../contract/canonical-json.ts';
import type { ModelContent, ModelMessage, ModelRequest } from '../../ports/model-gateway.ts';
import type { AssistantPart, JsonValue } from '../../ports/model-shapes.ts';

/** What makes two calls the same one on a tape (CAS-03): what the model is asked, freed of what differs in every run. */
export interface TapeRequest {
  /** `'provider-id/model-id'` */
  readonly model: string;
  readonly thinkingLevel: string;
  readonly maxTokens: number | null;
  readonly system: string;
  readonly messages: readonly JsonValue[];
  readonly tools: readonly ModelRequest['tools'][number][];
}

/** The request in the form that is hashed, before a `normalize` of the caller's own. */
export function tapeRequest(request: ModelRequest): TapeRequest {
  const calls = numbered((ordinal) => `call:${ordinal}`);
  const ids = stableIds();
  const told: TapeRequest = {
    model: request.specifier,
    thinkingLevel: request.thinkingLevel,
    maxTokens: request.maxTokens ?? null,
    system: request.system.replace(DATE_LINE, ''),
    messages: request.messages.map((message) => messageOf(message, calls)),
    tools: request.tools.map(({ name, description, parameters }) => ({ name, description, parameters })),
  };
  return mapStrings(told, ids);
}

export function tapeKey(request: TapeRequest): string {
  return createHash('sha256').update(canonicalJson(request)).digest('hex');
}

/** Every text of a JSON value through `change`; keys stay, and what is `undefined` is left out. */
export function mapStrings<T>(value: T, change: (text: string) => string): T {
  return mapped(value, change) as T;
}

function mapped(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item) => mapped(item, change));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  return Object.fromEntries(entries.map(([key, item]) => [key, mapped(item, change)]));
}

const DATE_LINE = /^Current date: .*$\n?/m;

function messageOf(message: ModelMessage, calls: (id: string) => string): JsonValue {
  switch (message.role) {
    case 'user':
      return { role: 'user', content: message.content.map(contentOf) };
    case 'tool': {
      const { tool, isError } = message;
      return {
        role: 'tool',
        call: calls(message.call),
        tool,
        isError,
        content: message.content.map(contentOf),
      };
    }
    case 'assistant':
      return { role: 'assistant', content: message.content.map((part) => partOf(part, calls)) };
  }
}

/** Without what only the conversation's records need of it. */
function partOf(part: AssistantPart, calls: (id: string) => string): JsonValue {
  if (part.type === 'call') return { type: 'call', id: calls(part.id), tool: part.tool, args: part.args };
  return { type: part.type, text: part.text };
}

function contentOf(part: ModelContent): JsonValue {
  if (part.type === 'text') return { type: 'text', text: part.text };
  const digest = createHash('sha256').update(part.data).digest('hex');
  return { type: 'image', mimeType: part.mimeType, digest };
}

const ULID = '[0-7][0-9A-HJKMNP-TV-Z]{25}';
const UUID = '[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}';
const IDS = new RegExp(`(?<![0-9A-Za-z])(?:(${ULID})|(${UUID}))(?![0-9A-Za-z])`, 'g');

/** Ids that are new in every run become the order of their first appearance. */
function stableIds(): (text: string) => string {
  const ulid = numbered((ordinal) => `<ulid:${ordinal}>`);
  const uuid = numbered((ordinal) => `<uuid:${ordinal}>`);
  return (text) => text.replace(IDS, (found, isUlid?: string) => (isUlid ? ulid(found) : uuid(found)));
}

function numbered(name: (ordinal: number) => string): (value: string) => string {
  const seen = new Map<string, string>();
  return (value) => {
    let named = seen.get(value);
    if (named === undefined) {
      named = name(seen.size + 1);
      seen.set(value, named);
    }
    return named;
  };
}
