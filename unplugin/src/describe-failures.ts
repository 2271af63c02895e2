import type { Built } from '@flue/compiler';

/** One FLUE5006 for all rules that broke: the build goes on without what they would have found (RULE-05). */
export function describeFailures(failures: Built['failures']): string | undefined {
  if (failures.length === 0) return undefined;
  const broken = failures.map(
    ({ rule, message, file }) => `${rule}${file ? ` at ${file}` : ''} (${message})`,
  );
  return `FLUE5006 analysis-limited: the check is incomplete, because a rule broke: ${broken.join(', ')}.`;
}
