import type ts from 'typescript';
import type { TypeScript } from './host.ts';

/**
 * The outermost node that covers exactly `[start, end)`, trivia excluded. Spans of facts are taken from nodes, so a
 * fact's span finds its node again in the tree of the same text.
 */
export function nodeAt(
  api: TypeScript,
  file: ts.SourceFile,
  span: { readonly start: number; readonly end: number },
): ts.Node | undefined {
  let node: ts.Node = file;
  for (;;) {
    const child: ts.Node | undefined = api.forEachChild(node, (candidate) =>
      candidate.getStart(file) <= span.start && span.end <= candidate.end ? candidate : undefined,
    );
    if (!child) return undefined;
    if (child.getStart(file) === span.start && child.end === span.end) return child;
    node = child;
  }
}
