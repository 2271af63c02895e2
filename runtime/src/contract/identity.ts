/** What an agent identity may look like: letters and digits, single dashes between words, no leading digit (IDENT-03). */
export const AGENT_IDENTITY_PATTERN = /^[A-Za-z][A-Za-z0-9]*(?:-[A-Za-z0-9]+)*$/;

export function isAgentIdentity(value: unknown): value is string {
  return typeof value === 'string' && AGENT_IDENTITY_PATTERN.test(value);
}

/**
 * Durable names that a platform derives from an identity (EMIT-12). `IssueTriage` and `issue-triage` give the same
 * pair on purpose: two identities that fold to one pair would share storage, so they are refused (IDENT-10).
 */
export function durableNames(identity: string): { className: string; bindingName: string } {
  const pascal = identity
    .split('-')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
  const snake = identity
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll('-', '_')
    .toUpperCase();
  return { className: `Flue${pascal}Agent`, bindingName: `FLUE_${snake}_AGENT` };
}
