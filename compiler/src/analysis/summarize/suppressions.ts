import type ts from 'typescript';
import type { Range, Suppression } from '../program.ts';
import type { Builder } from './builder.ts';
import { rangeOf } from './builder.ts';

const COMMENT = /(?:\/\/|\/\*)[ \t]*flue-ignore(-file)?(?![\w-])([^\n\r]*)/g;
const MARKDOWN_COMMENT = /<!--[ \t]*flue-ignore(-file)?(?![\w-])([^\n\r]*?)-->/g;

/** `// flue-ignore CODES -- reason` and its file form (RULE-30). A mention in text or a string is none. */
export function findSuppressions(b: Builder): Suppression[] {
  const { text } = b.file;
  if (!text.includes('flue-ignore')) return [];
  return [...text.matchAll(COMMENT)]
    .filter((match) => !isInsideToken(b, match.index))
    .map((match) => {
      const said = match[2]!.replace(/\*\/\s*$/, '');
      const end = match.index + match[0].trimEnd().length;
      return readComment(match, said, end, () => coveredAfter(b, match.index, end));
    });
}

/** `<!-- flue-ignore CODES -- reason -->` and its file form (RULE-30); the former covers the next line with text. */
export function findMarkdownSuppressions(text: string): Suppression[] {
  return [...text.matchAll(MARKDOWN_COMMENT)].map((match) => {
    const end = match.index + match[0].length;
    const next = /\S[^\n\r]*/.exec(text.slice(end));
    const start = end + (next?.index ?? 0);
    return readComment(match, match[2]!, end, () => ({ start, end: start + (next?.[0].length ?? 0) }));
  });
}

function readComment(
  match: RegExpExecArray,
  said: string,
  end: number,
  coveredNext: () => Range,
): Suppression {
  const separator = /\s--\s*|:\s+/.exec(said);
  const list = separator ? said.slice(0, separator.index) : said;
  const reason = separator ? said.slice(separator.index + separator[0].length).trim() : '';
  const listStart = match.index + match[0].indexOf(match[2]!, match[0].indexOf('flue-ignore'));
  const codes = [...list.matchAll(/[^\s,]+/g)].map((code) => ({
    text: code[0],
    range: { start: listStart + code.index, end: listStart + code.index + code[0].length },
  }));
  const covers = match[1] ? 'file' : coveredNext();
  return { codes, reason: reason || undefined, covers, start: match.index, end };
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
