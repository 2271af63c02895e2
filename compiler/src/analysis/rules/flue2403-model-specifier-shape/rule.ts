import { defineRule } from '../define-rule.ts';

/** A literal specifier that cannot be split into provider and model (SPEC-01, SPEC-02). */
export default defineRule({
  code: 'FLUE2403',
  severity: 'error',
  tier: 'S',
  check(project, report) {
    for (const { module, range, specifier } of project.specifiers) {
      if (isSpecifier(specifier)) continue;
      report({
        module,
        range,
        message: `"${specifier}" is not a model specifier. Write 'provider-id/model-id'.`,
      });
    }
  },
});

function isSpecifier(text: string): boolean {
  const slash = text.indexOf('/');
  return slash > 0 && text.slice(0, slash).trim() !== '' && text.slice(slash + 1).trim() !== '';
}
