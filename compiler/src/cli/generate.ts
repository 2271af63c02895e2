import { relative, resolve, sep } from 'node:path';
import type { FlueProject } from '@flue/runtime/config';
import { presentCacheFolder } from '../cache/cache-folder.ts';
import { type CheckOutcome, recallCheck, recordCheck } from '../cache/check-record.ts';
import { engineKey } from '../cache/engine-key.ts';
import type { Compilation } from '../compile.ts';
import { NotGeneratedError, type Output, staleOutputs, writeOutputs } from '../emit/write-outputs.ts';
import { openTrace } from '../project/disk.ts';
import { countSeverities } from '../report/report.ts';
import type { Arguments, CommandSpec } from './command-line.ts';
import type { Io } from './io.ts';
import { lockUpdate } from './lock-update.ts';
import { openProject } from './open-project.ts';
import { refuseToEmit } from './refuse-to-emit.ts';
import { shortDiff } from './short-diff.ts';

export const GENERATE: CommandSpec = {
  usage: 'flue generate [options]',
  summary: 'Write the manifest and the generated modules of a project.',
  options: {
    check: { help: 'write nothing; exit 1 when a file is stale or missing' },
    out: { value: '<dir>', help: 'the generated folder (default .flue)' },
  },
};

/** Exit 0: everything is current; 1: an error that blocks a build, a stale file, or a file that is not ours (GEN-03 to GEN-05). */
export async function generate(args: Arguments, io: Io): Promise<number> {
  const started = performance.now();
  const out = args.value('out');
  const inline = out === undefined ? {} : { generate: { outDir: resolve(io.workingDirectory, out) } };
  const { project } = await openProject('generate', args, io, { inline });
  const generated = await generatedFrom(project);
  if ('blocking' in generated) return refuseToEmit(generated, started, args, io);

  const { update, note: lockNote } = lockUpdate(project.root, generated.agents);
  const files = generated.outputs.map(([path, content]) => ({
    path: resolve(project.root, path),
    content,
  }));
  const outputs: Output[] = update === undefined ? files : [...files, update];
  const shown = (path: string) => relative(project.root, path).split(sep).join('/');
  if (args.has('check')) return reportStale(outputs, shown, io);
  generated.remember();
  try {
    for (const path of writeOutputs(project.generatedDir, outputs)) io.out(`${shown(path)}\n`);
  } catch (error) {
    io.err(`flue: ${whyNotWritten(error, shown)}\n`);
    return 1;
  }
  if (!args.has('quiet')) io.err(lockNote + note(generated));
  return 0;
}

interface Generated extends Pick<CheckOutcome, 'agents' | 'diagnostics'> {
  readonly outputs: NonNullable<CheckOutcome['outputs']>;
  /** keeps what was found for the next run; never throws (CACHE-05) */
  remember(): void;
}

/** From the cache when nothing changed since the last time (PERF-07); a compilation that nothing may be written of. */
async function generatedFrom(project: FlueProject): Promise<Generated | Compilation> {
  const cacheFolder = presentCacheFolder(project.generatedDir);
  const question = { engine: engineKey(), project, options: 'generate' };
  const known = cacheFolder === undefined ? undefined : recallCheck(cacheFolder, question);
  if (known?.outputs !== undefined) return { ...known, outputs: known.outputs, remember: () => {} };

  const { openCompiler } = await import('../compile.ts');
  const tracer = openTrace();
  const compiler = await openCompiler(project, { cacheFolder, tracer });
  const compilation = compiler.compile();
  if (compilation.blocking.length > 0) return compilation;
  const { agents, diagnostics, failures, modules } = compilation;
  const outputs = [...compilation.outputs()];
  return {
    agents,
    diagnostics,
    outputs,
    remember() {
      compiler.saveFacts();
      // A rule that broke is to say so every time.
      if (cacheFolder === undefined || failures.length > 0) return;
      const outcome = { diagnostics, failures, agents, outputs, files: modules.length };
      recordCheck(cacheFolder, question, tracer, outcome);
    },
  };
}

function whyNotWritten(error: unknown, shown: (path: string) => string): string {
  if (error instanceof NotGeneratedError) {
    const files = error.paths.map(shown).join(', ');
    return `${files} was not written by flue and is not overwritten. Move it or set generate.outDir.`;
  }
  const { code, path } = error as NodeJS.ErrnoException;
  if (code === undefined || path === undefined) throw error;
  return `${shown(path)} cannot be written (${code}); the former files stay.`;
}

function reportStale(outputs: readonly Output[], shown: (path: string) => string, io: Io): number {
  const stale = staleOutputs(outputs);
  for (const { path, content, present } of stale) {
    io.out(`${present === undefined ? 'missing' : 'stale'} ${shown(path)}\n`);
    if (present !== undefined) io.out(shortDiff(present, content));
  }
  if (stale.length > 0) io.err('flue: run flue generate.\n');
  return stale.length > 0 ? 1 : 0;
}

function note({ agents, diagnostics }: Generated): string {
  const { error } = countSeverities(diagnostics);
  const rest =
    error > 0 ? ` ${error} ${error === 1 ? 'error remains' : 'errors remain'}: run flue check.` : '';
  return `${agents.length} ${agents.length === 1 ? 'agent' : 'agents'}.${rest}\n`;
}
