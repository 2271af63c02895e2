import { canonicalJson, compareCodeUnits, durableNames } from '@flue/runtime/internal';
import * as v from 'valibot';
import type { LockableAgent } from '../analysis/identity-drift.ts';

export { driftOf, type LockableAgent, type LockDrift } from '../analysis/identity-drift.ts';

/** Of the file at the project root that records which identities own stored conversations (LOCK-01). */
export const LOCK_FILE = 'flue.lock.json';
const LOCK_VERSION = 1;

/** Valibot's record takes arrays, which no lock holds. */
const plainObject = v.custom<Record<string, unknown>>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'must be an object',
);

const LockedAgent = v.looseObject({
  bindingName: v.optional(v.string()),
  className: v.optional(v.string()),
  export: v.optional(v.string()),
  module: v.optional(v.string()),
});

const Retired = v.looseObject({ className: v.optional(v.string()) });

/** Unknown keys are kept at every level (LOCK-08). */
const LockSchema = v.looseObject({
  agents: v.pipe(plainObject, v.record(v.string(), LockedAgent)),
  lockVersion: v.pipe(v.number(), v.integer()),
  retired: v.optional(v.pipe(plainObject, v.record(v.string(), Retired)), {}),
});
export type Lock = v.InferOutput<typeof LockSchema>;

/** The lock cannot be used, for a reason that the user can mend; the message has no path (LOCK-07, LOCK-08). */
export class LockError extends Error {
  override readonly name = 'LockError';
}

export function parseLock(text: string): Lock {
  const markers = text
    .split(/\r?\n/)
    .flatMap((line, index) => (/^(?:<{7}|={7}|>{7})/.test(line) ? [index + 1] : []));
  if (markers.length > 0) throw new LockError(`conflict markers in lines ${markers.join(', ')}.`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new LockError(`is not JSON: ${(cause as Error).message}`, { cause });
  }
  const result = v.safeParse(LockSchema, value);
  if (!result.success) {
    const [issue] = result.issues;
    throw new LockError(`${v.getDotPath(issue) ?? 'the file'}: ${issue.message}`);
  }
  if (result.output.lockVersion > LOCK_VERSION) {
    const { lockVersion } = result.output;
    throw new LockError(
      `was written by a newer flue (lockVersion ${lockVersion}; this one knows ${LOCK_VERSION}).`,
    );
  }
  return result.output;
}

/** Canonical, except that each identity stands on one line, so that merges stay clean (LOCK-01). */
export function printLock(lock: Lock): string {
  const members = Object.entries(lock).sort(([a], [b]) => compareCodeUnits(a, b));
  const printed = members.map(([key, value]) => {
    const byLine = key === 'agents' || key === 'retired';
    const text = byLine ? identityLines(value as Record<string, unknown>) : indented(canonicalJson(value));
    return `  ${JSON.stringify(key)}: ${text}`;
  });
  return `{\n${printed.join(',\n')}\n}\n`;
}

function identityLines(entries: Record<string, unknown>): string {
  const lines = Object.entries(entries)
    .sort(([a], [b]) => compareCodeUnits(a, b))
    .map(([identity, entry]) => `    ${JSON.stringify(identity)}: ${oneLine(entry)}`);
  return lines.length === 0 ? '{}' : `{\n${lines.join(',\n')}\n  }`;
}

function oneLine(value: unknown): string {
  const text = canonicalJson(value).trimEnd();
  return text.replace(/\n\s*/g, ' ');
}

function indented(text: string): string {
  return text.trimEnd().replaceAll('\n', '\n  ');
}

export function emptyLock(): Lock {
  return { agents: {}, lockVersion: LOCK_VERSION, retired: {} };
}

/** The lock with every present agent in it; what is locked and missing stays (LOCK-02, LOCK-04, LOCK-05). */
export function withAgents(lock: Lock, agents: readonly LockableAgent[]): Lock {
  const present = agents.map((agent) => [
    agent.identity,
    {
      ...(Object.hasOwn(lock.agents, agent.identity) && lock.agents[agent.identity]),
      ...durableNames(agent.identity),
      export: agent.export,
      module: agent.module,
    },
  ]);
  const back = new Set(agents.map(({ identity }) => identity));
  const retired = Object.entries(lock.retired).filter(([identity]) => !back.has(identity));
  return {
    ...lock,
    agents: { ...lock.agents, ...Object.fromEntries(present) },
    retired: Object.fromEntries(retired),
  };
}

/** The lock with an identity given up: its conversations stay stored, unreachable (LOCK-03). */
export function retire(lock: Lock, identity: string, renamedTo?: string): Lock {
  const { [identity]: locked, ...agents } = lock.agents;
  if (locked === undefined) throw new LockError(`"${identity}" is not locked.`);
  const { className = durableNames(identity).className } = locked;
  const entry = { className, ...(renamedTo !== undefined && { renamedTo }) };
  return { ...lock, agents, retired: { ...lock.retired, [identity]: entry } };
}
