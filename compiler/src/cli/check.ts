import { realpathSync, writeFileSync } from 'node:fs';
import { relative, resolve, sep } from 'node:path';
import type { FlueProject } from '@flue/runtime/config';
import type { Diagnostic } from '../analysis/diagnostic.ts';
import type { LockableAgent } from '../analysis/identity-drift.ts';
import { COMPILER_VERSION } from '../emit/compiler-version.ts';
import { printLock, withAgents } from '../emit/lock.ts';
import { ProjectError } from '../project/project-error.ts';
import { readLockFile } from '../project/read-lock.ts';
import { githubReport } from '../report/github.ts';
import { jsonReport } from '../report/json.ts';
import { prettyReport } from '../report/pretty.ts';
import { countSeverities, type Report, summaryLine } from '../report/report.ts';
import { type SarifRule, sarifReport } from '../report/sarif.ts';
import { type CheckSettings, checkSettings, FORMATS, SEVERITIES } from './check-settings.ts';
import type { Arguments, CommandSpec } from './command-line.ts';
import { type Examined, examine, openChecking, outcomeOf } from './examine.ts';
import { explainRule } from './explain.ts';
import { describeFixes, fixesAsDiff, fixFiles } from './fix.ts';
import { type Io, wantsColor } from './io.ts';
import { type OpenedProject, openProject } from './open-project.ts';
import { ruleDescription } from './rule-page.ts';
import { shortDiff } from './short-diff.ts';

export const CHECK: CommandSpec = {
  usage: 'flue check [paths…] [options]',
  summary: 'Check the agents of a project without running them. Paths narrow what is reported.',
  operands: 'paths',
  options: {
    format: { value: '<format>', help: FORMATS.join(', ') },
    'max-warnings': { value: '<n>', help: 'fail on more warnings than this' },
    rule: { value: '<id>=<severity>', repeatable: true, help: `${SEVERITIES.join(', ')} for a code or name` },
    fix: { help: 'apply the safe repairs, then check again' },
    'fix-dry-run': { help: 'print the safe repairs as a unified diff and write nothing' },
    watch: { help: 'check again on change' },
    frozen: { help: 'generated files, lock and migrations must be current' },
    types: { value: 'all', help: 'ask the type checker everything, not only what syntax leaves open' },
    'no-types': { help: 'leave out what needs the type checker' },
    'no-cache': { help: 'neither read nor write what earlier runs know' },
    output: { value: '<file>', help: 'write the report there instead of stdout' },
    explain: { value: '<code>', help: "print a rule's page and exit" },
  },
};

const CLEAR_SCREEN = '\x1b[2J\x1b[3J\x1b[H';

/** Exit 0: no error, warnings within the limit; 1: otherwise (CHK-02); 2 when a rule itself broke (RULE-05). */
export async function check(args: Arguments, io: Io): Promise<number> {
  const explained = args.value('explain');
  if (explained !== undefined) return explainRule(explained, io);
  const started = performance.now();
  const settings = checkSettings(args, io);
  const open = () => openProject('check', args, io, { paths: args.operands });
  if (settings.watch) return watch(open, settings, args, io);
  const { project, paths } = await open();
  const isReported = isWithin(project.root, paths);

  const examined =
    settings.fix === 'apply'
      ? await repair(project, settings, isReported, io)
      : await examine(project, settings);
  if (settings.fix === 'show') io.out(fixesAsDiff(examined, isReported));
  const code = await tell(project, examined, isReported, started, settings, args, io);
  examined.remember();
  return code;
}

/** A report whenever something changed (CHK-09), on a terminal in place of the one before. */
async function watch(
  open: () => Promise<OpenedProject>,
  settings: CheckSettings,
  args: Arguments,
  io: Io,
): Promise<number> {
  const { watchChecks } = await import('./watch-checks.ts');
  const show = async ({ project, paths }: OpenedProject, examined: Told, startedAt: number) => {
    if (io.isTerminal && settings.format === 'pretty') io.out(CLEAR_SCREEN);
    await tell(project, examined, isWithin(project.root, paths), startedAt, settings, args, io);
    if (!args.has('quiet')) io.err('Watching for changes.\n');
  };
  return watchChecks(open, settings, show, io);
}

type Told = Omit<Examined, 'remember'>;

/** Prints what is reported of a check; with the exit code that it deserves. */
async function tell(
  project: FlueProject,
  examined: Told,
  isReported: (diagnostic: Diagnostic) => boolean,
  startedAt: number,
  settings: CheckSettings,
  args: Arguments,
  io: Io,
): Promise<number> {
  const report: Report = {
    diagnostics: examined.diagnostics.filter(isReported),
    files: examined.files,
    agents: examined.agents.length,
    durationMs: performance.now() - startedAt,
    sourceText: examined.sourceText,
  };
  if (settings.fix !== 'show') await print(report, settings, args, io);
  if (!args.has('quiet') && report.agents === 0 && report.diagnostics.length === 0) {
    io.err(noAgents(project.root, project.sourceRoot));
  }
  const lockIsStale = settings.frozen && reportStaleLock(project, examined.agents, io);
  const maxWarnings = settings.maxWarnings ?? project.config.check?.maxWarnings;
  return Math.max(verdict(report, examined.failures, maxWarnings, io), lockIsStale ? 1 : 0);
}

/** A change that `flue lock` would write, as a diff (LOCK-06). Without a lock nothing is enforced (LOCK-02). */
function reportStaleLock(project: FlueProject, agents: readonly LockableAgent[], io: Io): boolean {
  const present = readLockFile(project.root);
  if (present === undefined) return false;
  const after = printLock(withAgents(present.lock, agents));
  if (after === present.text) return false;
  io.err(`flue: stale ${present.path}; run flue lock.\n${shortDiff(present.text, after)}`);
  return true;
}

/** The project after its safe repairs, and what they were. */
async function repair(
  project: FlueProject,
  settings: CheckSettings,
  isReported: (diagnostic: Diagnostic) => boolean,
  io: Io,
): Promise<Examined> {
  const { compiler, compile, check: checkFirst } = await openChecking(project, settings);
  await checkFirst();
  const fixed = fixFiles(
    project.root,
    (changed) => {
      compiler.changed(changed);
      return compile();
    },
    isReported,
  );
  io.err(describeFixes(fixed));
  return { ...outcomeOf(fixed.compilation), remember: () => {} };
}

function verdict(
  report: Report,
  failures: Examined['failures'],
  maxWarnings: number | undefined,
  io: Io,
): number {
  for (const { rule, message, file } of failures) {
    io.err(`flue: ${rule} broke${file === undefined ? '' : ` at ${file}`}: ${message}\n`);
  }
  if (failures.length > 0) return 2;
  const { error, warning } = countSeverities(report.diagnostics);
  const tooMany = maxWarnings !== undefined && warning > maxWarnings;
  if (tooMany) io.err(`flue: ${warning} warnings are more than ${maxWarnings}.\n`);
  return error > 0 || tooMany ? 1 : 0;
}

async function print(
  report: Report,
  { format, watch: isRepeated }: CheckSettings,
  args: Arguments,
  io: Io,
): Promise<void> {
  const file = args.value('output');
  const verbose = args.has('verbose');
  const color = file === undefined && wantsColor(io, args.has('no-color'));
  const text = await {
    pretty: () => prettyReport(report, { color, verbose }),
    json: () => jsonReport(report, isRepeated ? 'line' : 'document'),
    sarif: async () => sarifReport(report, { version: COMPILER_VERSION, rules: await describedRules() }),
    github: () => githubReport(report, { verbose }),
  }[format]();
  if (file === undefined) io.out(text);
  else writeReport(resolve(io.workingDirectory, file), file, text);
  if (format === 'github' && !args.has('quiet')) io.err(`${summaryLine(report)}\n`);
}

function writeReport(path: string, shown: string, text: string): void {
  try {
    writeFileSync(path, text);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new ProjectError(shown, `the report cannot be written (${code}).`, { cause });
  }
}

async function describedRules(): Promise<SarifRule[]> {
  const { rules } = await import('../analysis/rules/index.ts');
  return rules.map(({ code, name, severity }) => {
    const description = ruleDescription(code) ?? name.replaceAll('-', ' ');
    return { code, name, severity, description };
  });
}

function isWithin(root: string, paths: readonly string[]): (diagnostic: Diagnostic) => boolean {
  if (paths.length === 0) return () => true;
  const filters = paths.map((path) => relative(root, realpathSync.native(path)).split(sep).join('/'));
  return ({ span }) =>
    filters.some((filter) => filter === '' || span.path === filter || span.path.startsWith(`${filter}/`));
}

function noAgents(root: string, sourceRoot: string): string {
  const folder = relative(root, sourceRoot).split(sep).join('/') || 'the project root';
  return `No agent modules under ${folder}. A module becomes one when it starts with 'use agent'.\n`;
}
