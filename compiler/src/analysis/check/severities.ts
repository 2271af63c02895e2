import type { Diagnostic, Severity } from '../diagnostic.ts';
import type { Rule } from '../rules/define-rule.ts';

export type ConfiguredSeverity = 'off' | 'hint' | 'info' | 'warn' | 'error';

/** How the configuration and the command line judge rules. */
export interface Severities {
  /** by code or by name (RULE-32) */
  readonly severities?: Readonly<Record<string, ConfiguredSeverity>> | undefined;
  readonly profile?: 'default' | 'strict' | undefined;
}

/** A build stops at these whatever the configuration says (RULE-32). */
const BLOCKING = /^FLUE(?:1005|1006|1007|1009|110[1-6]|5001)$/;
export function isBuildBlocking(diagnostic: Pick<Diagnostic, 'code' | 'severity'>): boolean {
  return diagnostic.severity === 'error' && BLOCKING.test(diagnostic.code);
}

export function severityOf(rule: Rule, { severities, profile }: Severities): Severity | 'off' {
  if (BLOCKING.test(rule.code)) return rule.severity;
  const configured = severities?.[rule.code] ?? severities?.[rule.name];
  if (configured !== undefined) return configured === 'warn' ? 'warning' : configured;
  if (rule.code === 'FLUE2203') return profile === 'strict' ? 'error' : 'off';
  return rule.severity;
}
