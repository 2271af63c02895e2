import type { Module } from '../../program.ts';
import { defineRule, type Repair } from '../define-rule.ts';

/** A default export without a name: there is nothing to take the identity from. */
export default defineRule({
  code: 'FLUE1007',
  severity: 'error',
  tier: 'S',
  check(project, report) {
    for (const module of project.modules) {
      if (!module.marked) continue;
      for (const entry of module.exports) {
        if (entry.kind !== 'value' || entry.value.k !== 'function') continue;
        const fn = module.functions[entry.value.fn]!;
        const keyword = module.text.indexOf('default', entry.range.start);
        report({
          module,
          range: { start: entry.range.start, end: keyword + 'default'.length },
          message: 'A default-exported agent needs a name; its identity comes from it.',
          fixes: nameAfterFile(module, entry.range, fn.form === 'arrow'),
        });
      }
    }
  },
});

function nameAfterFile(module: Module, range: { start: number; end: number }, isArrow: boolean): Repair[] {
  const base = module.path.slice(module.path.lastIndexOf('/') + 1).replace(/\..*$/, '');
  const name = base
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')
    .replace(/^[^A-Za-z]+/, '');
  if (name === '' || module.bindings.some((binding) => binding.name === name)) return [];
  const text = module.text.slice(range.start, range.end);
  const title = `Name it ${name}`;
  const head = (isArrow ? /^export\s+default\s+/ : /^export\s+default\s+(?:async\s+)?function\s*\*?\s*/).exec(
    text,
  );
  if (!head) return [];
  const after = range.start + head[0].length;
  if (!isArrow)
    return [
      {
        title,
        safe: true,
        edits: [{ start: after, end: after, text: `${/\s$/.test(head[0]) ? '' : ' '}${name}` }],
      },
    ];
  return [
    {
      title,
      safe: true,
      edits: [
        { start: range.start, end: after, text: `const ${name} = ` },
        { start: range.end, end: range.end, text: `\nexport default ${name};` },
      ],
    },
  ];
}
