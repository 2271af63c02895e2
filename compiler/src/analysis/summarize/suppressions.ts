import type ts from 'typescript';
import type { Range, Suppression } from '../program.ts';
import type { Builder } from './builder.ts';
import { rangeOf } from './builder.ts';

const COMMENT = /(?:\/\/|\/\*)[ \t]*flue-ignore(-file)?(?![\w-])([^\n\r]*)/g;

/** `// flue-ignore CODES -- reason` and its file form (RULE-30). A mention in text or a string is none. */
export function findSuppressions(b: Builder): Suppression[] {
  const { text } = b.file;
  if (!text.includes('flue-ignore')) return [];
  const found: Suppression[] = [];
  for (const match of text.matchAll(COMMENT)) {
    const start = match.index;
    if (isInsideToken(b, start)) continue;
    const body = match[2]!.replace(/\*\/\s*$/, '');
    const separator = /\s--\s*|:\s+/.exec(body);
    const list = separator ? body.slice(0, separator.index) : body;
    const reason = separator ? body.slice(separator.index + separator[0].length).trim() : '';
    const listStart = start + match[0].length - match[2]!.length;
    const codes = [...list.matchAll(/[^\s,]+/g)].map((code) => ({
      text: code[0],
      range: { start: listStart + code.index, end: listStart + code.index + code[0].length },
    }));
    const end = start + match[0].trimEnd().length;
    found.push({
      codes,
      reason: reason || undefined,
      covers: match[1] ? 'file' : coveredAfter(b, start, end),
      start,
      end,
    });
  }
  return found;
}

function isInsideToken(b: Builder, position: number): boolean {
  let node: ts.Node = b.file;
  for (;;) {
    const child: ts.Node | undefined = b.api.forEachChild(node, (candidate) =>
      candidate.getStart(b.file) <= position && position < candidate.end ? candidate : undefined,
    );
    if (!child) break;
    node = child;
  }
  return (
    b.api.isStringLiteralLike(node) ||
    b.api.isTemplateHead(node) ||
    b.api.isTemplateMiddleOrTemplateTail(node) ||
    b.api.isRegularExpressionLiteral(node) ||
    b.api.isJsxText(node)
  );
}

/** The next statement, property or line of code; a comment that ends a line of code covers that line too. */
function coveredAfter(b: Builder, start: number, end: number): Range {
  const { text } = b.file;
  const lineStart = Math.max(text.lastIndexOf('\n', start - 1), text.lastIndexOf('\r', start - 1)) + 1;
  const isAfterCode = text.slice(lineStart, start).trim() !== '';
  const next = firstNodeAfter(b, b.file, end);
  if (!next) return { start: isAfterCode ? lineStart : end, end: text.length };
  const from = next.getStart(b.file);
  const lineEnd = text.slice(from).search(/[\n\r]/);
  const line = lineEnd < 0 ? text.length : from + lineEnd;
  return { start: isAfterCode ? lineStart : from, end: Math.max(line, rangeOf(b, next).end) };
}

/** The outermost statement, member, property, argument or element that starts after `position`. */
function firstNodeAfter(b: Builder, parent: ts.Node, position: number): ts.Node | undefined {
  return b.api.forEachChild(parent, (child): ts.Node | undefined => {
    if (child.end <= position) return undefined;
    if (child.getStart(b.file) >= position) return b.api.isToken(child) ? undefined : child;
    return firstNodeAfter(b, child, position);
  });
}
