import type { Ids } from '../ports/ids.ts';
import { escapeControls } from './escape-controls.ts';

const LEVELS = 8;

/**
 * Writes a failure whole to the server log, one line of the log each, and returns the reference that its envelope or
 * its settlement shows (ENV-05, ENV-06, SET-03). Whatever is thrown at it, it never throws (ENV-08).
 */
export function createFailureLog(o: { readonly ids: Ids; readonly write: (text: string) => void }) {
  return (error: unknown, context: Readonly<Record<string, unknown>> = {}): string => {
    const ref = attempt(() => `err_${o.ids.ulid()}`, 'err_unknown');
    const about = attempt(() => describeContext(context), '');
    const chain = attempt(() => describeChain(error, new Set(), 0), ['an error that cannot be described']);
    attempt(() => o.write(`[flue] [${ref}]${about} ${chain.join('\n')}\n`), undefined);
    return ref;
  };
}

function attempt<T>(work: () => T, otherwise: T): T {
  try {
    return work();
  } catch {
    return otherwise;
  }
}

function describeContext(context: Readonly<Record<string, unknown>>): string {
  return Object.entries(context)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ` ${key}=${escapeControls(String(value))}`)
    .join('');
}

/** The error with its causes and members, indented by their depth. */
function describeChain(error: unknown, seen: Set<unknown>, depth: number): string[] {
  const indent = '  '.repeat(depth);
  if (depth >= LEVELS) return [`${indent}…`];
  if (seen.has(error)) return [`${indent}(an error that was shown above)`];
  if (typeof error !== 'object' || error === null) return [`${indent}${escapeControls(String(error))}`];
  seen.add(error);
  const read = (key: string) => attempt(() => (error as Record<string, unknown>)[key], undefined);
  const text = read('stack') ?? `${String(read('name') ?? 'Error')}: ${String(read('message') ?? '')}`;
  const lines = String(text)
    .slice(0, 16_384)
    .split('\n')
    .map((line) => indent + escapeControls(line));
  const dev = read('dev');
  if (typeof dev === 'string' && dev !== '') lines.push(`${indent}${escapeControls(dev)}`);
  const cause = read('cause');
  if (cause !== undefined) lines.push(`${indent}caused by:`, ...describeChain(cause, seen, depth + 1));
  const members = read('errors');
  if (Array.isArray(members)) {
    for (const member of members) lines.push(`${indent}with:`, ...describeChain(member, seen, depth + 1));
  }
  return lines;
}
