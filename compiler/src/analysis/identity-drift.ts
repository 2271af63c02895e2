import { compareText } from './diagnostic.ts';

/** The identities of a lock file, and where each was last seen (LOCK-01). */
export interface LockedIdentities {
  readonly agents: Readonly<Record<string, LockedPlace>>;
  /** keyed by identity */
  readonly retired: Readonly<Record<string, unknown>>;
}

interface LockedPlace {
  readonly module?: string | undefined;
  readonly export?: string | undefined;
}

/** What the lock needs to know of an agent. */
export interface LockableAgent {
  readonly identity: string;
  readonly module: string;
  readonly export: string;
  readonly function: string;
}

/** How the present agents differ from the lock. */
export interface LockDrift<A extends LockableAgent = LockableAgent> {
  readonly added: readonly A[];
  /** same identity, other module or export: information, no drift (LOCK-04) */
  readonly moved: readonly A[];
  /** locked without agent, with the newcomer that it looks renamed to (FLUE1107) */
  readonly missing: readonly { readonly identity: string; readonly likely: A | undefined }[];
  /** retired, and defined again: it would continue old conversations (LOCK-05) */
  readonly returned: readonly A[];
}

export function driftOf<A extends LockableAgent>(lock: LockedIdentities, agents: readonly A[]): LockDrift<A> {
  const present = new Set(agents.map(({ identity }) => identity));
  const isLocked = ({ identity }: A) => Object.hasOwn(lock.agents, identity);
  const isRetired = ({ identity }: A) => Object.hasOwn(lock.retired, identity);
  const newcomers = agents.filter((agent) => !isLocked(agent) && !isRetired(agent));
  const gone = Object.keys(lock.agents).filter((identity) => !present.has(identity));
  return {
    added: newcomers,
    moved: agents.filter((agent) => {
      const locked = isLocked(agent) ? lock.agents[agent.identity] : undefined;
      return locked !== undefined && (locked.module !== agent.module || locked.export !== agent.export);
    }),
    missing: gone
      .sort(compareText)
      .map((identity) => ({ identity, likely: likelyRename(lock.agents[identity], newcomers) })),
    returned: agents.filter((agent) => !isLocked(agent) && isRetired(agent)),
  };
}

/** The newcomer at the same place, else the only one of the module, else the only one of the project (FLUE1107). */
function likelyRename<A extends LockableAgent>(
  locked: LockedPlace | undefined,
  newcomers: readonly A[],
): A | undefined {
  const neighbours = newcomers.filter(({ module }) => module === locked?.module);
  const same = neighbours.find((agent) => agent.export === locked?.export);
  const [only] = neighbours.length > 0 ? neighbours : newcomers;
  const isOnly = (neighbours.length > 0 ? neighbours : newcomers).length === 1;
  return same ?? (isOnly ? only : undefined);
}
