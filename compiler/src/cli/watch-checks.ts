import { join } from 'node:path';
import { FLUE_CONFIG_BASENAMES, type FlueProject } from '@flue/runtime/config';
import { openCacheFolder } from '../cache/cache-folder.ts';
import { existsSync, openTrace, type Probe, readFileSync } from '../project/disk.ts';
import { toProjectPath } from '../project/project-path.ts';
import { watchDisk } from '../project/watch-disk.ts';
import type { CheckSettings } from './check-settings.ts';
import { describeMistake } from './describe-mistake.ts';
import { type Checking, type Examined, openChecking, outcomeOf } from './examine.ts';
import type { Io } from './io.ts';
import type { OpenedProject } from './open-project.ts';

interface Session {
  readonly opened: OpenedProject;
  readonly checking: Checking;
}

/** Whose text decides about itself alone; a change of any other file may concern all. */
const SOURCE = /(?<!\.d)\.[cm]?[jt]sx?$/;

/**
 * Checks again whenever something changed that the last check had read (CHK-09), until it is interrupted: then with
 * that exit code. A mistake in the project is told and waited for, except in what the first check cannot start without.
 */
export async function watchChecks(
  open: () => Promise<OpenedProject>,
  settings: CheckSettings,
  show: (opened: OpenedProject, examined: Omit<Examined, 'remember'>, startedAt: number) => Promise<unknown>,
  io: Io,
): Promise<number> {
  const interrupted = io.untilInterrupted();
  const tracer = openTrace();
  const disk = watchDisk(tracer);
  let session = await start(await open());
  let startedAt = performance.now();
  try {
    for (;;) {
      await pass(session, startedAt);
      disk.follow();
      const news = await Promise.race([disk.next(), interrupted]);
      if (typeof news === 'number') return news;
      startedAt = performance.now();
      session = await after(news, session);
    }
  } finally {
    disk.close();
    session.checking.compiler.saveFacts();
  }

  async function start(opened: OpenedProject): Promise<Session> {
    const { project } = opened;
    const cacheFolder = settings.cache ? openCacheFolder(project.generatedDir) : undefined;
    tracer.forgetAll();
    return { opened, checking: await openChecking(project, settings, { cacheFolder, tracer }) };
  }

  async function pass({ opened, checking }: Session, since: number): Promise<void> {
    tracer.during(() => lookForConfigs(opened.project.root));
    await orTold(async () => show(opened, outcomeOf(await checking.check()), since));
  }

  /** The session that goes on after these questions got other answers. */
  async function after(news: readonly Probe[], current: Session): Promise<Session> {
    const { project } = current.opened;
    if (news.every((probe) => isSource(probe, project))) {
      for (const probe of news) tracer.forget(probe);
      current.checking.compiler.edited(news.map(([, path]) => toProjectPath(project.root, path)));
      return current;
    }
    const reopened = await orTold(open);
    if (reopened !== undefined && JSON.stringify(reopened.project) !== JSON.stringify(project))
      return start(reopened);
    if (reopened !== undefined) tracer.forgetAll();
    current.checking.compiler.changed('everything');
    return current;
  }

  async function orTold<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      const told = describeMistake(error);
      if (told === undefined) throw error;
      io.err(told);
      return undefined;
    }
  }
}

function isSource([kind, path]: Probe, { root, configFile }: FlueProject): boolean {
  return kind === 'bytes' && SOURCE.test(path) && path !== configFile && !configsOf(root).includes(path);
}

/** A configuration that comes, goes or is mended is a change, although a project that has none reads none. */
function lookForConfigs(root: string): void {
  for (const path of configsOf(root)) if (existsSync(path)) readFileSync(path);
}

function configsOf(root: string): string[] {
  return FLUE_CONFIG_BASENAMES.map((name) => join(root, name));
}
