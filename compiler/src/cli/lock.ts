import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suggestion } from '@flue/runtime/config';
import {
  driftOf,
  emptyLock,
  LOCK_FILE,
  type Lock,
  type LockableAgent,
  printLock,
  retire,
  withAgents,
} from '../emit/lock.ts';
import { writeOutputs } from '../emit/write-outputs.ts';
import type { Arguments, CommandSpec } from './command-line.ts';
import type { Io } from './io.ts';
import { describeMissing, readLock } from './lock-update.ts';
import { openProject } from './open-project.ts';
import { refuseToEmit } from './refuse-to-emit.ts';
import { shortDiff } from './short-diff.ts';
import { UsageError } from './usage-error.ts';

export const LOCK: CommandSpec = {
  usage: 'flue lock [--check | --retire <identity> | --rename <old> <new>]',
  summary: 'Record the identities that own stored conversations in flue.lock.json.',
  operands: 'any',
  options: {
    check: { help: 'write nothing; exit 1 with a diff when the lock is not current' },
    retire: { value: '<identity>', repeatable: true, help: 'give up an identity that has no agent any more' },
    rename: { value: '<old>', help: 'record that an identity goes on under a new one' },
  },
};

/** Exit 0: the lock is current; 1: an identity needs a decision, or `--check` found a change (LOCK-03, LOCK-06). */
export async function lock(args: Arguments, io: Io): Promise<number> {
  const started = performance.now();
  const renamed = renaming(args);
  const { openCompiler } = await import('../compile.ts');
  const { project } = await openProject('lock', args, io);
  const compilation = (await openCompiler(project)).compile();
  if (compilation.blocking.length > 0) return refuseToEmit(compilation, started, args, io);

  const present = readLock(project.root);
  const decided = decide(present ?? emptyLock(), args.values('retire'), renamed, compilation.agents);
  const { missing } = driftOf(decided, compilation.agents);
  if (missing.length > 0) {
    io.err(describeMissing(missing));
    return 1;
  }
  const before = present === undefined ? '' : readFileSync(join(project.root, LOCK_FILE), 'utf8');
  const after = printLock(withAgents(decided, compilation.agents));
  if (args.has('check')) return reportChange(before, after, io);
  const output = { path: join(project.root, LOCK_FILE), content: after, authored: true as const };
  if (writeOutputs(project.root, [output]).length > 0) io.out(`${LOCK_FILE}\n`);
  if (renamed !== undefined && !args.has('quiet')) io.err(howConversationsFollow(renamed));
  return 0;
}

interface Renaming {
  readonly from: string;
  readonly to: string;
}

function renaming(args: Arguments): Renaming | undefined {
  const from = args.value('rename');
  const [to, ...others] = args.operands;
  if (from === undefined) {
    if (to !== undefined) throw new UsageError(`unexpected argument "${to}".`);
    return undefined;
  }
  if (to === undefined || others.length > 0)
    throw new UsageError('--rename takes two identities: <old> <new>.');
  return { from, to };
}

function decide(
  present: Lock,
  retired: readonly string[],
  renamed: Renaming | undefined,
  agents: readonly LockableAgent[],
): Lock {
  const identities = agents.map(({ identity }) => identity);
  const given = [...retired, ...(renamed === undefined ? [] : [renamed.from])];
  for (const identity of given) {
    if (!Object.hasOwn(present.agents, identity)) {
      throw new UsageError(
        `"${identity}" is not locked${suggestion(identity, Object.keys(present.agents)) || '.'}`,
      );
    }
    if (identities.includes(identity)) throw new UsageError(`"${identity}" is still defined by an agent.`);
  }
  if (renamed !== undefined && !identities.includes(renamed.to)) {
    throw new UsageError(
      `no agent has the identity "${renamed.to}"${suggestion(renamed.to, identities) || '.'}`,
    );
  }
  return given.reduce((lock, identity) => retire(lock, identity, renamedTo(identity, renamed)), present);
}

function renamedTo(identity: string, renamed: Renaming | undefined): string | undefined {
  return renamed?.from === identity ? renamed.to : undefined;
}

function reportChange(before: string, after: string, io: Io): number {
  if (before === after) return 0;
  io.out(`${before === '' ? 'missing' : 'stale'} ${LOCK_FILE}\n${shortDiff(before, after)}`);
  io.err('flue: run flue lock.\n');
  return 1;
}

function howConversationsFollow({ from, to }: Renaming): string {
  return `Stored conversations do not follow by themselves. Before the next deploy, on the store of the application:\n  await store.rename('${from}', '${to}');\n`;
}
