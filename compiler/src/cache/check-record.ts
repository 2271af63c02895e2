import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { FlueProject } from '@flue/runtime/config';
import type { EngineFailure } from '../analysis/check/attempts.ts';
import type { Diagnostic } from '../analysis/diagnostic.ts';
import type { LockableAgent } from '../analysis/identity-drift.ts';
import { holds, type Probe, type Trace } from '../project/disk.ts';
import { answerTracked } from '../project/facts/git.ts';
import { cacheFiles, removeCacheFile, writeCacheFile } from './cache-folder.ts';
import { checksum, framed, unframed } from './framed.ts';

/** Ways of asking (severities, `--frozen`) that are remembered side by side. */
const KEPT = 8;

/** What a check comes to. */
export interface CheckOutcome {
  readonly diagnostics: readonly Diagnostic[];
  readonly failures: readonly EngineFailure[];
  /** analysed modules */
  readonly files: number;
  readonly agents: readonly LockableAgent[];
  /** text of `manifest.json`, where somebody asked for it */
  readonly manifest?: string | undefined;
  /** all generated files by project path, where somebody asked for them */
  readonly outputs?: readonly (readonly [path: string, content: string])[] | undefined;
}

/** Everything besides the disk that decides what a check comes to. */
export interface CheckQuestion {
  readonly engine: string;
  readonly project: FlueProject;
  readonly options: unknown;
}

interface Recorded {
  readonly probes: readonly Probe[];
  readonly outcome: CheckOutcome;
}

/**
 * What the same check came to before, if every read that it made of the disk would give today what it gave then
 * (CACHE-04). Nothing is parsed for that, and files that nobody touched are not even read (CACHE-06).
 */
export function recallCheck(folder: string, question: CheckQuestion): CheckOutcome | undefined {
  const path = recordPath(folder, question);
  try {
    const frame = unframed(readFileSync(path));
    if (frame === undefined) return undefined;
    const { probes, outcome } = JSON.parse(inflateRawSync(frame.content).toString('utf8')) as Recorded;
    return holds(probes, statSync(path).mtimeMs, answerTracked) ? outcome : undefined;
  } catch {
    return undefined;
  }
}

export function recordCheck(
  folder: string,
  question: CheckQuestion,
  trace: Trace,
  { diagnostics, failures, files, agents, manifest, outputs }: CheckOutcome,
): void {
  const path = recordPath(folder, question);
  const recorded: Recorded = {
    probes: [...trace.probes.values()],
    outcome: { diagnostics, failures, files, agents: agents.map(lockable), manifest, outputs },
  };
  // Paths and a manifest repeat themselves, and the folder is not to grow (CACHE-07); more effort would only cost time.
  writeCacheFile(path, [framed(deflateRawSync(JSON.stringify(recorded), { level: 1 }))]);
  const others = cacheFiles(join(folder, 'checks')).map((name) => join(folder, 'checks', name));
  const byAge = others
    .map((other) => ({ other, time: statSync(other, { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .sort((a, b) => b.time - a.time);
  for (const { other } of byAge.slice(KEPT)) removeCacheFile(other);
}

function lockable({ identity, module, export: exported, function: local }: LockableAgent): LockableAgent {
  return { identity, module, export: exported, function: local };
}

function recordPath(folder: string, { engine, project, options }: CheckQuestion): string {
  return join(folder, 'checks', `${checksum(JSON.stringify([engine, project, options]))}.json`);
}
