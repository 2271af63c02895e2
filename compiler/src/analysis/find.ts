/**
 * Which files hold agents, before anything is parsed: a module is marked by the directive `'use agent'` in its prologue.
 * One substring search rules out nearly every file (BIND-10).
 */

export const DIRECTIVE = 'use agent';

/** Whether the text may carry the directive, or a form of it that a rule explains. False means: need not be parsed. */
export function isCandidate(text: string): boolean {
  return text.includes(DIRECTIVE);
}

/** Whether the text says anything that makes a broken file ours to report (FLUE5001). */
export function mentionsFlue(text: string): boolean {
  return text.includes(DIRECTIVE) || text.includes('@flue/runtime');
}

/**
 * Where the directive stands in the prologue, quotes included, without a parse: comments, a byte-order mark, a
 * shebang and other directives may come before it (AN-01). `undefined` when the module is not marked.
 */
export function findDirective(text: string): { readonly start: number; readonly end: number } | undefined {
  if (!isCandidate(text)) return undefined;
  let at = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  if (text.startsWith('#!', at)) at = endOfLine(text, at);
  for (;;) {
    at = skipTrivia(text, at);
    const quote = text[at];
    if (quote !== "'" && quote !== '"') return undefined;
    const start = at;
    at = endOfString(text, at);
    if (at < 0) return undefined;
    const end = at;
    // An operator after the string makes it an expression, which ends the prologue.
    const next = skipTrivia(text, at);
    const terminated = text[next] === ';' || next >= text.length || text.slice(end, next).includes('\n');
    if (!terminated || CONTINUES.test(text.slice(next, next + 12))) return undefined;
    if (text.slice(start + 1, end - 1) === DIRECTIVE) return { start, end };
    at = text[next] === ';' ? next + 1 : next;
  }
}

/** What, on the next line, still belongs to the expression that a string began. */
const CONTINUES = /^(?:[.,([`?+*/%&|^<>=]|-|instanceof\b|in\b|as\b|satisfies\b|![=])/;

function skipTrivia(text: string, from: number): number {
  let at = from;
  for (;;) {
    const c = text.charCodeAt(at);
    if (c === 32 || (c >= 9 && c <= 13) || c === 0xa0 || c === 0xfeff || c === 0x2028 || c === 0x2029) at++;
    else if (text.startsWith('//', at)) at = endOfLine(text, at);
    else if (text.startsWith('/*', at)) {
      const close = text.indexOf('*/', at + 2);
      if (close < 0) return text.length;
      at = close + 2;
    } else return at;
  }
}

function endOfLine(text: string, from: number): number {
  let at = from;
  while (at < text.length && !/[\n\r\u2028\u2029]/.test(text[at]!)) at++;
  return at;
}

function endOfString(text: string, from: number): number {
  const quote = text[from];
  for (let at = from + 1; at < text.length; at++) {
    const c = text[at];
    if (c === '\\') at++;
    else if (c === quote) return at + 1;
    else if (c === '\n' || c === '\r') return -1;
  }
  return -1;
}
