import * as v from 'valibot';
import { AGENT_IDENTITY_PATTERN, durableNames, isAgentIdentity } from '../contract/identity.ts';
import {
  type Agent,
  type DurabilityConfig,
  parseDurability,
  parseInitialDataSchema,
} from '../engine/agent.ts';
import { NotJsonError, snapshotJson } from '../engine/json-value.ts';
import { misuse } from '../errors/flue-error.ts';
import { InvalidRequestError } from '../errors/invalid-request-error.ts';
import type { JsonValue } from '../ports/model-shapes.ts';

/** What the build stamps on an agent, so that neither minifier nor rename changes its storage (IDENT-04). */
export interface AgentIdentityBinding {
  readonly identity: string;
}

interface Known {
  /** stamped by a build or by a registration */
  readonly bound: WeakMap<object, string>;
  /** answered from the function's name or static before any stamp */
  readonly resolved: WeakMap<object, string>;
  /** every identity that a build has bound */
  readonly stamps: Set<string>;
}

/**
 * Identities by function value. Kept on the global object: an agent module and the host may hold a copy of this module
 * each. Weak, so a dev reload's old functions go as soon as their last attempt does.
 */
const KEY = Symbol.for('@flue/runtime.identities');
const holder = globalThis as { [KEY]?: Known };
holder[KEY] ??= { bound: new WeakMap(), resolved: new WeakMap(), stamps: new Set() };
const known: Known = holder[KEY];

/**
 * For generated code only: stamps `agent` with its identity and returns it. The same pair again is a no-op (IDENT-04).
 * Throws for a non-function, an invalid identity, and a function bound to another identity (IDENT-05).
 */
export function __flueBindAgentModule<A>(agent: A, binding: AgentIdentityBinding): A {
  const { identity } = binding;
  if (typeof agent !== 'function') {
    throw misuse(`"${identity}" cannot be bound to ${describe(agent)}. An agent is a function.`);
  }
  checkedIdentity(identity, 'the build');
  // In an import cycle an agent can be used before its stamp; another identity now would split its storage.
  const resolved = known.resolved.get(agent);
  if (resolved !== undefined && resolved !== identity) throw boundElsewhere(resolved, identity);
  bind(agent, identity);
  return agent;
}

function bind(agent: object, identity: string): void {
  assertFree(agent, identity);
  known.bound.set(agent, identity);
  known.stamps.add(identity);
}

/** Whether some module has bound an agent to the identity: it was evaluated to its end then. */
export function isStamped(identity: string): boolean {
  return known.stamps.has(identity);
}

/**
 * The durable identity of an agent: its stamp, else its `agentName`, else the function's own name (IDENT-02). Throws
 * for an anonymous function (IDENT-09) and for a name that is no identity (STATIC-02).
 */
export function resolveAgentIdentity(agent: unknown): string {
  if (typeof agent !== 'function') throw misuse(`An agent is a function, not ${describe(agent)}.`);
  const bound = known.bound.get(agent);
  if (bound !== undefined) return bound;
  const identity = ownIdentity(agent as Agent);
  known.resolved.set(agent, identity);
  return identity;
}

function ownIdentity({ agentName, name }: Agent): string {
  if (agentName !== undefined) return checkedIdentity(agentName, 'agentName');
  // JavaScript names an anonymous default export `default`.
  if (name === '' || name === 'default') {
    throw misuse(
      'An anonymous agent function has no identity. Name the function or set its agentName.',
      'FLUE1007',
    );
  }
  return checkedIdentity(name, 'the name of its function');
}

function checkedIdentity(value: unknown, source: string): string {
  if (isAgentIdentity(value)) return value;
  throw misuse(
    `${JSON.stringify(value) ?? String(value)}, given by ${source}, is not a valid agent identity. It must match ` +
      `${AGENT_IDENTITY_PATTERN}: letters and digits, single dashes between words, no leading digit.`,
    'FLUE1101',
  );
}

/** An agent of this process, its statics validated (STATIC-07). */
export interface RegisteredAgent {
  readonly identity: string;
  readonly agent: Agent;
  readonly durability: Required<DurabilityConfig>;
  readonly initialData: v.GenericSchema | undefined;
}

/** An agent, or an agent with the identity to give it; `identity` is what generated registration modules say. */
export type RegistryEntry =
  | Agent
  | { readonly agent: Agent; readonly name?: string; readonly identity?: string };

/** Which agents this process serves. Membership is by function value, never by name (IDENT-08). */
export interface AgentRegistry {
  /** ascending */
  readonly identities: readonly string[];
  get(identity: string): RegisteredAgent | undefined;
  identityOf(agent: unknown): string | undefined;
  /** Replaces the whole set; a throw leaves the one before in place (IDENT-07). */
  register(entries: readonly RegistryEntry[]): void;
}

/** Throws for whatever IDENT-03, IDENT-06, IDENT-09, IDENT-10 and STATIC-07 forbid, before it binds anything. */
export function createRegistry(entries: readonly RegistryEntry[]): AgentRegistry {
  let set = readEntries(entries);
  return {
    get identities() {
      return [...set.byIdentity.keys()].sort();
    },
    get: (identity) => set.byIdentity.get(identity),
    identityOf: (agent) => set.byFunction.get(agent),
    register(next) {
      set = readEntries(next);
    },
  };
}

interface AgentSet {
  readonly byIdentity: ReadonlyMap<string, RegisteredAgent>;
  readonly byFunction: ReadonlyMap<unknown, string>;
}

function readEntries(entries: readonly RegistryEntry[]): AgentSet {
  const byIdentity = new Map<string, RegisteredAgent>();
  const byFunction = new Map<unknown, string>();
  const byClassName = new Map<string, string>();
  for (const entry of entries.map(readEntry)) {
    const { agent, identity } = entry;
    const other = byFunction.get(agent);
    if (other !== undefined) {
      throw misuse(
        other === identity
          ? `The agent function of "${identity}" is registered twice. Register it once.`
          : `One agent function is registered as "${other}" and as "${identity}". Register it once.`,
        'FLUE1009',
      );
    }
    if (byIdentity.has(identity)) {
      throw misuse(
        `Two agents have the identity "${identity}". They would share conversations: rename one or set its agentName.`,
        'FLUE1102',
      );
    }
    const className = durableNames(identity).className.toLowerCase();
    const rival = byClassName.get(className);
    if (rival !== undefined) {
      throw misuse(
        `The identities "${rival}" and "${identity}" differ only in case or hyphens, so platforms give both the same ` +
          'durable name. Rename one.',
        'FLUE1103',
      );
    }
    byIdentity.set(identity, entry);
    byFunction.set(agent, identity);
    byClassName.set(className, identity);
  }
  for (const [identity, { agent }] of byIdentity) bind(agent, identity);
  return { byIdentity, byFunction };
}

function readEntry(entry: RegistryEntry): RegisteredAgent {
  const { agent, name } = typeof entry === 'function' ? { agent: entry, name: undefined } : namedEntry(entry);
  if (typeof agent !== 'function')
    throw misuse(`An agent is a function, not ${describe(agent)}.`, 'FLUE4010');
  const identity = name === undefined ? resolveAgentIdentity(agent) : checkedIdentity(name, 'its entry');
  assertFree(agent, identity);
  if (agent.agentName !== undefined) checkedIdentity(agent.agentName, 'agentName');
  return {
    identity,
    agent,
    durability: parseDurability(agent.durability, identity),
    initialData: parseInitialDataSchema(agent.initialData, identity),
  };
}

function namedEntry(entry: Exclude<RegistryEntry, Agent>): { agent: Agent; name: string | undefined } {
  if (typeof entry !== 'object' || entry === null)
    throw misuse(`An agent is a function, not ${describe(entry)}.`);
  return { agent: entry.agent, name: entry.name ?? entry.identity };
}

/**
 * The value to record for a creating send: what the schema makes of it, as detached JSON (STATIC-03, STATIC-04).
 * Throws `InvalidRequestError` with every issue for a value that does not fit.
 */
export function parseInitialData(
  { initialData: schema, identity }: RegisteredAgent,
  sent: unknown,
): JsonValue | undefined {
  const parsed = schema ? v.safeParse(schema, sent) : { success: true as const, output: sent };
  if (!parsed.success) {
    throw new InvalidRequestError({
      field: 'initialData',
      rule: `does not fit the schema of agent "${identity}"`,
      issues: parsed.issues.map(({ message, path }) => ({
        message,
        ...(path && { path: path.map((item) => item.key as PropertyKey) }),
      })),
      code: 'FLUE4004',
    });
  }
  if (parsed.output === undefined) return undefined;
  try {
    return snapshotJson(parsed.output, 'initialData');
  } catch (cause) {
    if (!(cause instanceof NotJsonError)) throw cause;
    throw new InvalidRequestError({
      field: 'initialData',
      rule: `cannot be recorded: ${cause.message}`,
      cause,
    });
  }
}

function assertFree(agent: object, identity: string): void {
  const bound = known.bound.get(agent);
  if (bound !== undefined && bound !== identity) throw boundElsewhere(bound, identity);
}

function boundElsewhere(bound: string, identity: string): Error {
  return misuse(
    `An agent function that is already bound to the identity "${bound}" cannot become "${identity}". Its conversations ` +
      'are stored under the first.',
  );
}

function describe(value: unknown): string {
  return value === null ? 'null' : `a value of type ${typeof value}`;
}
