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
      const isAllUnused = entry.unused.length === entry.codes;
      report({
        module: entry.module,
        range: entry.range,
        message: `This suppression of ${entry.unused.join(', ')} matches nothing.`,
        fixes: isAllUnused
          ? [{ title: 'Remove the comment', safe: true, edits: [{ ...wholeLine(entry), text: '' }] }]
          : [],
      });
    }
  },
});

function wholeLine({ module, range }: Suppressed): { start: number; end: number } {
  const { text } = module;
  const lineStart = text.lastIndexOf('\n', range.start - 1) + 1;
  if (text.slice(lineStart, range.start).trim() !== '') return { start: range.start, end: range.end };
  const newline = text.indexOf('\n', range.end);
  return { start: lineStart, end: newline < 0 ? text.length : newline + 1 };
}
