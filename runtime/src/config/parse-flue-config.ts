import * as v from 'valibot';
import { suggestion } from '../contract/nearest.ts';
import { FlueConfigError, type FlueConfigIssue } from './flue-config-error.ts';
import { type FlueConfig, FlueConfigSchema } from './schema.ts';

/** Validates a configuration whole: unknown fields and wrong values are all reported by one `FlueConfigError` (CFG-04). */
export function parseFlueConfig(value: unknown, source = 'the Flue config'): FlueConfig {
  const result = v.safeParse(FlueConfigSchema, value);
  const wrong = result.success ? [] : result.issues.map(toIssue);
  const issues = [...unknownFields(FlueConfigSchema, value, ''), ...wrong];
  if (issues.length > 0) throw new FlueConfigError(source, issues);
  return result.output as FlueConfig;
}

/** The fields of `inline` that are defined win, each as a whole (CFG-11). */
export function mergeFlueConfig(file: FlueConfig, inline: FlueConfig): FlueConfig {
  const defined = Object.entries(inline).filter(([, value]) => value !== undefined);
  return { ...file, ...Object.fromEntries(defined) };
}

function toIssue(issue: v.BaseIssue<unknown>): FlueConfigIssue {
  const field = v.getDotPath(issue) ?? '';
  const shown = issue.type === 'check' || issue.type === 'raw_check' ? '' : `, not ${printed(issue.input)}`;
  return { field, problem: `${issue.message}${issue.message.includes('not be empty') ? '' : shown}` };
}

/** A value by kind, and in full only where it cannot be a secret (CFG-13). */
function printed(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'string') return value.length > 24 ? 'a string' : JSON.stringify(value);
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'undefined'
    ? 'undefined'
    : `${/^[aeiou]/.test(typeof value) ? 'an' : 'a'} ${typeof value}`;
}

/** Valibot's strict objects stop at the first unknown key; a misspelt configuration rarely has only one. */
function unknownFields(schema: v.GenericSchema, value: unknown, prefix: string): FlueConfigIssue[] {
  const entries = entriesOf(schema);
  if (entries === undefined || typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  return Object.entries(value).flatMap(([key, item]) => {
    const field = `${prefix}${key}`;
    const known = Object.hasOwn(entries, key) ? entries[key] : undefined;
    if (known !== undefined) return unknownFields(known, item, `${field}.`);
    return [{ field, problem: `is not a field${suggestion(key, Object.keys(entries)) || '.'}` }];
  });
}

function entriesOf(schema: v.GenericSchema): Record<string, v.GenericSchema> | undefined {
  const inner = 'wrapped' in schema ? (schema.wrapped as v.GenericSchema) : schema;
  return 'entries' in inner ? (inner.entries as Record<string, v.GenericSchema>) : undefined;
}
