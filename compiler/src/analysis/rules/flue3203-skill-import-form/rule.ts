import type { ImportDeclaration, Module } from '../../program.ts';
import { defineRule, type Repair } from '../define-rule.ts';

/** A skill that the build would not package. */
export default defineRule({
  code: 'FLUE3203',
  severity: 'error',
  tier: 'S',
  check(project, report) {
    for (const module of project.modules) {
      for (const declaration of module.imports) {
        if (declaration.typeOnly || declaration.specifier.includes('?')) continue;
        const problem = problemOf(module, declaration);
        if (!problem) continue;
        report({
          module,
          range: declaration.attribute?.range ?? declaration.specifierRange,
          message: `${problem}. Import SKILL.md statically, without attributes.`,
          fixes: withoutAttribute(module, declaration),
        });
      }
    }
  },
});

function problemOf(module: Module, { specifier, form, attribute }: ImportDeclaration): string | undefined {
  const isMarkdown = /\.mdx?$/.test(specifier);
  if (form === 'dynamic')
    return /(?:^|\/)SKILL\.md$/.test(specifier)
      ? 'A skill that is imported dynamically is not packaged'
      : undefined;
  if (attribute && (attribute.type === 'skill' || attribute.type === 'markdown'))
    return `The attribute type "${attribute.type}" is an older form`;
  return isMarkdown && module.resolutions[specifier]?.kind === 'unresolved'
    ? `"${specifier}" does not resolve`
    : undefined;
}

function withoutAttribute(
  module: Module,
  { attribute, specifier, specifierRange }: ImportDeclaration,
): Repair[] {
  if (!attribute || module.resolutions[specifier]?.kind === 'unresolved') return [];
  return [
    {
      title: 'Remove the attribute',
      safe: true,
      edits: [{ start: specifierRange.end, end: attribute.range.end, text: '' }],
    },
  ];
}
