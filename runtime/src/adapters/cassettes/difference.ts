import { canonicalJson } from '../../contract/canonical-json.ts';
import type { TapeEntry } from './tape-file.ts';
import type { TapeRequest } from './tape-request.ts';

/** Where two values differ first, as a path from their root. */
export interface Difference {
  readonly path: string;
  readonly recorded: unknown;
  readonly asked: unknown;
}

/** The entry that agrees with the request for longest, and what it differs in. */
export function nearestEntry(
  entries: readonly TapeEntry[],
  request: TapeRequest,
): { readonly place: number; readonly difference: Difference } | undefined {
  const asked = canonicalJson(request);
  let best = -1;
  let place = -1;
  for (const [at, entry] of entries.entries()) {
    const length = commonStart(canonicalJson(entry.request), asked);
    if (length > best) [best, place] = [length, at];
  }
  const nearest = entries[place];
  if (!nearest) return undefined;
  const difference = firstDifference(nearest.request, request) ?? {
    path: '',
    recorded: undefined,
    asked: undefined,
  };
  return { place, difference };
}

function firstDifference(recorded: unknown, asked: unknown, path = ''): Difference | undefined {
  if (Object.is(recorded, asked)) return undefined;
  if (!isObject(recorded) || !isObject(asked) || Array.isArray(recorded) !== Array.isArray(asked)) {
    return { path, recorded, asked };
  }
  for (const key of new Set([...Object.keys(recorded), ...Object.keys(asked)])) {
    const step = Array.isArray(recorded) ? `[${key}]` : path === '' ? key : `.${key}`;
    const found = firstDifference(recorded[key], asked[key], path + step);
    if (found) return found;
  }
  return undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function commonStart(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  let length = 0;
  while (length < most && a.charCodeAt(length) === b.charCodeAt(length)) length += 1;
  return length;
}
