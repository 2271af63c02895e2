import { RESERVED_SIGNAL_TYPES } from '../../../contract/names.ts';
import type { ModelMessage } from '../../../ports/model-gateway.ts';
import type { CallPart } from '../../../ports/model-shapes.ts';

export type ToolResult = Extract<ModelMessage, { role: 'tool' }>;

/** What stands since the newest message that someone sent. */
export interface Exchange {
  readonly message: string;
  readonly calls: readonly CallPart[];
  readonly results: readonly ToolResult[];
  /** whether the transcript holds no assistant text yet (OFF-02) */
  readonly isFirstReply: boolean;
}

export function newestExchange(messages: readonly ModelMessage[]): Exchange {
  const start = messages.findLastIndex((message) => sentText(message) !== '');
  const since = messages.slice(start + 1);
  return {
    message: start < 0 ? '' : sentText(messages[start]!),
    calls: since.flatMap((message) => (message.role === 'assistant' ? message.content.filter(isCall) : [])),
    results: since.filter((message) => message.role === 'tool'),
    isFirstReply: !messages.some(
      (message) => message.role === 'assistant' && message.content.some(isShownText),
    ),
  };
}

/** A user's text or a signal's body; what the framework tells the model is not sent by anyone (NARR-30). */
function sentText(message: ModelMessage): string {
  if (message.role !== 'user') return '';
  const texts = message.content.flatMap((part) => (part.type === 'text' ? [signalBody(part.text)] : []));
  return texts.join('\n').trim();
}

/** The rendered form of NARR-31. */
const SIGNAL = /^<([A-Za-z_][\w.-]*) type="([^"]*)"[^>]*>\n([\s\S]*)\n<\/\1>$/;

function signalBody(text: string): string {
  const [, , type, body] = text.trim().match(SIGNAL) ?? [];
  if (type === undefined || body === undefined) return text;
  if ((RESERVED_SIGNAL_TYPES as readonly string[]).includes(type)) return '';
  return body
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&');
}

function isCall(part: { readonly type: string }): part is CallPart {
  return part.type === 'call';
}

function isShownText(part: { readonly type: string; readonly text?: string }): boolean {
  return part.type === 'text' && part.text?.trim() !== '';
}
