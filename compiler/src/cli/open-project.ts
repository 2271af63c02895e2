import { relative, resolve } from 'node:path';
import type { FlueConfig, FlueConfigError, FlueProject } from '@flue/runtime/config';
import { loadProject } from '../config/load-project.ts';
import { findProject } from '../project/find-root.ts';
import type { Arguments } from './command-line.ts';
import type { Io } from './io.ts';

export interface OpenedProject {
  readonly project: FlueProject;
  /** absolute paths to which a report is limited; empty: everything */
  readonly paths: readonly string[];
}

/** The project that the command line means, with its configuration; notes go to stderr. */
export async function openProject(
  command: string,
  args: Arguments,
  io: Io,
  { paths = [], inline = {} }: { paths?: readonly string[]; inline?: FlueConfig } = {},
): Promise<OpenedProject> {
  const root = args.value('cwd');
  const place = findProject({
    workingDirectory: io.workingDirectory,
    paths,
    ...(root !== undefined && { root }),
  });
  const configFile = args.value('config');
  const { project, warnings } = await loadProject({
    root: place.root,
    inline,
    command,
    ...(configFile !== undefined && {
      configFile: relative(place.root, resolve(io.workingDirectory, configFile)),
    }),
  });
  if (!args.has('quiet')) for (const warning of warnings) io.err(`flue: ${warning}\n`);
  return { project, paths: place.paths };
}

/** A configuration's faults as a command prints them: all of them, under the rule's code (CHK-02). */
export function describeConfigError(error: FlueConfigError): string {
  const [title = '', ...faults] = error.message.split('\n');
  return [`${title.replace(/:$/, '')} (FLUE5002):`, ...faults, ''].join('\n');
}
