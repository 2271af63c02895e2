import type { Rule } from './define-rule.ts';

/** The rules in the order of the catalogue: one line each. */
export const rules: readonly Rule[] = [];
