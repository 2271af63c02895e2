import type { Compilation } from '../compile.ts';
import { prettyReport } from '../report/pretty.ts';
import type { Arguments } from './command-line.ts';
import { type Io, wantsColor } from './io.ts';

/** On an error that blocks a build nothing is written and the former files stay (EMIT-03). Exit code 1. */
export function refuseToEmit(compilation: Compilation, startedAt: number, args: Arguments, io: Io): number {
  const { blocking, modules, agents, sourceText } = compilation;
  const durationMs = performance.now() - startedAt;
  const report = {
    diagnostics: blocking,
    files: modules.length,
    agents: agents.length,
    durationMs,
    sourceText,
  };
  io.err(prettyReport(report, { color: wantsColor(io, args.has('no-color')), verbose: false }));
  io.err('flue: nothing was written.\n');
  return 1;
}
