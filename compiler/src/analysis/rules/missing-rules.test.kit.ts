import type { RuleCode } from '@flue/runtime/internal';

/** Codes of the catalogue that no rule finds yet, ascending. It shrinks to nothing; nothing is ever added. */
export const MISSING_RULES: readonly RuleCode[] = ['FLUE3202'];
