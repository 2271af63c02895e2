import { defineRule, type Suppressed } from '../define-rule.ts';

/** A suppression that meets nothing (RULE-31). */
export default defineRule({
  code: 'FLUE5007',
  severity: 'warning',
  tier: 'S',
  check() {},
  afterwards(suppressed, report) {
    for (const entry of suppressed) {
      if (entry.unused.length === 0) continue;
      const isAllUnused = entry.unused.length === entry.comment.codes.length;
      report({
        module: entry.module,
        range: entry.comment,
        message: `This suppression of ${entry.unused.join(', ')} matches nothing.`,
        fixes: isAllUnused
          ? [{ title: 'Remove the comment', safe: true, edits: [{ ...wholeLine(entry), text: '' }] }]
          : [],
      });
    }
  },
});

function wholeLine({ module, comment }: Suppressed): { start: number; end: number } {
  const { text } = module;
  const lineStart = text.lastIndexOf('\n', comment.start - 1) + 1;
  if (text.slice(lineStart, comment.start).trim() !== '') return { start: comment.start, end: comment.end };
  const newline = text.indexOf('\n', comment.end);
  return { start: lineStart, end: newline < 0 ? text.length : newline + 1 };
}
