/**
 * Where a text stops being JSON, in words for its author: the place, and at most a few characters of it (HTTP-13). The
 * engine's own messages are no use: some have no position, others quote at length.
 */
export function describeJsonFault(text: string): string {
  const at = jsonFaultAt(text);
  if (at >= text.length) return `The JSON text ends too early, at position ${text.length}.`;
  return `Unexpected ${JSON.stringify(text.slice(at, at + 8))} at position ${at}.`;
}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /true|false|null/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const SPACE = /[ \t\n\r]*/y;

type Expected = 'value' | 'value or ]' | 'key' | 'key or }' | ':' | ', or end';

/** Index of the first character that no JSON text could have there; the length when the text just ends. */
function jsonFaultAt(text: string): number {
  const open: ('{' | '[')[] = [];
  let expected: Expected = 'value';
  let at = skip(SPACE, text, 0);
  for (; at < text.length; at = skip(SPACE, text, at)) {
    const char = text[at]!;
    const close = open.at(-1) === '{' ? '}' : ']';
    if (expected === ':') {
      if (char !== ':') return at;
      expected = 'value';
      at += 1;
    } else if (
      open.length > 0 &&
      char === close &&
      (expected === ', or end' || expected.endsWith(`or ${close}`))
    ) {
      open.pop();
      expected = ', or end';
      at += 1;
    } else if (expected === ', or end') {
      if (open.length === 0 || char !== ',') return at;
      expected = open.at(-1) === '{' ? 'key' : 'value';
      at += 1;
    } else if (expected.startsWith('key')) {
      if (char !== '"') return at;
      const { end, closed } = scanString(text, at);
      if (!closed) return end;
      at = end;
      expected = ':';
    } else if (char === '{' || char === '[') {
      open.push(char);
      expected = char === '{' ? 'key or }' : 'value or ]';
      at += 1;
    } else {
      const { end, closed } = char === '"' ? scanString(text, at) : scanLiteral(text, at);
      if (!closed) return end;
      at = end;
      expected = ', or end';
    }
  }
  return at;
}

function skip(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

interface Scan {
  /** behind the value, or where it breaks */
  readonly end: number;
  readonly closed: boolean;
}

function scanString(text: string, at: number): Scan {
  for (let end = at + 1; end < text.length; end += 1) {
    const char = text[end]!;
    if (char === '"') return { end: end + 1, closed: true };
    if (char < ' ') return { end, closed: false };
    if (char !== '\\') continue;
    const next = skip(ESCAPE, text, end);
    if (next === end) return { end, closed: false };
    end = next - 1;
  }
  return { end: text.length, closed: false };
}

function scanLiteral(text: string, at: number): Scan {
  const end = Math.max(skip(NUMBER, text, at), skip(WORD, text, at));
  return { end, closed: end > at };
}
