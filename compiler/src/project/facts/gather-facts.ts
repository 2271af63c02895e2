import { join, relative, sep } from 'node:path';
import type { FlueProject } from '@flue/runtime/config';
import type { Module } from '../../analysis/program.ts';
import type { LayoutFact, ProjectFacts, ProjectFile } from '../../analysis/project-facts.ts';
import { existsSync, readFileSync } from '../disk.ts';
import type { DiskHost } from '../disk-host.ts';
import { readLockFile } from '../read-lock.ts';
import { trackedEnvironment } from './environment.ts';
import { occupantsOf } from './occupants.ts';
import { skillFolders } from './skill-folders.ts';
import { findUnscanned } from './unscanned.ts';
import { wranglerFact } from './wrangler.ts';

/** What a check on disk says about the project beside its modules. */
export function gatherFacts(
  project: FlueProject,
  host: DiskHost,
  modules: readonly Module[],
  known: { readonly scanned: readonly string[]; readonly frozen: boolean },
): ProjectFacts {
  const { root, config } = project;
  const lock = readLockFile(root);
  const configFile = project.configFile === undefined ? undefined : fileAt(root, project.configFile);
  const wrangler = project.target === 'cloudflare' ? wranglerFact(host.ts, root) : undefined;
  return {
    frozen: known.frozen,
    layout: layoutOf(project, configFile),
    unscanned: findUnscanned(project, host, new Set(known.scanned)),
    skills: skillFolders(root, modules),
    occupants: occupantsOf(project),
    environment: trackedEnvironment(root),
    ...(isApplication(root) && { application: 'checked' as const }),
    ...(configFile !== undefined && { config: { ...configFile, faults: [] } }),
    ...(config.providers !== undefined && { providers: config.providers }),
    ...(lock !== undefined && {
      lock: { path: lock.path, text: lock.text, agents: lock.lock.agents, retired: lock.lock.retired },
    }),
    ...(wrangler !== undefined && { wrangler }),
  };
}

function layoutOf(project: FlueProject, configFile: ProjectFile | undefined): LayoutFact {
  const { root, sourceRoot, generatedDir, app, db, config } = project;
  const manifest = join(root, 'package.json');
  return {
    sourceRoot: toPath(root, sourceRoot),
    generatedDir: toPath(root, generatedDir),
    app: app && toPath(root, app),
    db: db === undefined ? undefined : { path: toPath(root, db), explicit: config.db !== undefined },
    home: configFile ?? (existsSync(manifest) ? fileAt(root, manifest) : { path: 'package.json', text: '' }),
  };
}

/** A project that our build plugin makes a server of; everything else may be a library or a script. */
function isApplication(root: string): boolean {
  try {
    const { dependencies, devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    return '@flue/unplugin' in { ...dependencies, ...devDependencies };
  } catch {
    return false;
  }
}

function fileAt(root: string, file: string): ProjectFile {
  return { path: toPath(root, file), text: readFileSync(file, 'utf8') };
}

function toPath(root: string, file: string): string {
  return relative(root, file).split(sep).join('/') || '.';
}
