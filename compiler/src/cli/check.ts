import { realpathSync, writeFileSync } from 'node:fs';
import { relative, resolve, sep } from 'node:path';
import { suggestion } from '@flue/runtime/config';
import { isRuleCode, RULES } from '@flue/runtime/internal';
import type { ConfiguredSeverity } from '../analysis/check.ts';
import type { Diagnostic } from '../analysis/diagnostic.ts';
import { rules } from '../analysis/rules/index.ts';
import { openCompiler } from '../compile.ts';
import { COMPILER_VERSION } from '../emit/compiler-version.ts';
import { githubReport } from '../report/github.ts';
import { jsonReport } from '../report/json.ts';
import { prettyReport } from '../report/pretty.ts';
import { countSeverities, type Report, summaryLine } from '../report/report.ts';
import { type SarifRule, sarifReport } from '../report/sarif.ts';
import type { Arguments, CommandSpec } from './command-line.ts';
import { explainRule } from './explain.ts';
import { describeFixes, fixesAsDiff, fixFiles } from './fix.ts';
import { type Io, wantsColor } from './io.ts';
import { openProject } from './open-project.ts';
import { ruleDescription } from './rule-page.ts';
import { UsageError } from './usage-error.ts';

const FORMATS = ['pretty', 'json', 'sarif', 'github'] as const;
type Format = (typeof FORMATS)[number];
const SEVERITIES: readonly string[] = ['off', 'hint', 'info', 'warn', 'error'];

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
    output: { value: '<file>', help: 'write the report there instead of stdout' },
    explain: { value: '<code>', help: "print a rule's page and exit" },
  },
};

/** Exit 0: no error, warnings within the limit; 1: otherwise (CHK-02); 2 when a rule itself broke (RULE-05). */
export async function check(args: Arguments, io: Io): Promise<number> {
  const explained = args.value('explain');
  if (explained !== undefined) return explainRule(explained, io);
  const started = performance.now();
  const format = formatOf(args, io);
  if (args.has('fix') && args.has('fix-dry-run'))
    throw new UsageError('take one of --fix and --fix-dry-run.');
  const severities = severitiesOf(args.values('rule'));
  const limit = warningLimit(args.value('max-warnings'));

  const { project, paths } = await openProject('check', args, io, { paths: args.operands });
  const compiler = await openCompiler(project);
  const isReported = isWithin(project.root, paths);
  const compile = (changed: readonly string[]) => {
    compiler.changed(changed);
    return compiler.compile({ severities });
  };
  const fixed = args.has('fix') ? fixFiles(project.root, compile, isReported) : undefined;
  const compilation = fixed?.compilation ?? compile([]);
  if (fixed !== undefined) io.err(describeFixes(fixed));
  const report: Report = {
    diagnostics: compilation.diagnostics.filter(isReported),
    files: compilation.modules.length,
    agents: compilation.agents.length,
    durationMs: performance.now() - started,
    sourceText: compilation.sourceText,
  };
  if (args.has('fix-dry-run')) io.out(fixesAsDiff(compilation, isReported));
  else print(report, format, args, io);
  if (!args.has('quiet') && compilation.agents.length === 0 && report.diagnostics.length === 0) {
    io.err(noAgents(project.root, project.sourceRoot));
  }
  if (compilation.failures.length > 0) {
    for (const { rule, message } of compilation.failures) io.err(`flue: ${rule} broke: ${message}\n`);
    return 2;
  }
  const counts = countSeverities(report.diagnostics);
  const allowed = limit ?? project.config.check?.maxWarnings ?? Number.POSITIVE_INFINITY;
  if (counts.warning > allowed) io.err(`flue: ${counts.warning} warnings are more than ${allowed}.\n`);
  return counts.error > 0 || counts.warning > allowed ? 1 : 0;
}

function print(report: Report, format: Format, args: Arguments, io: Io): void {
  const file = args.value('output');
  const verbose = args.has('verbose');
  const color = file === undefined && wantsColor(io, args.has('no-color'));
  const text = {
    pretty: () => prettyReport(report, { color, verbose }),
    json: () => jsonReport(report),
    sarif: () => sarifReport(report, { version: COMPILER_VERSION, rules: describedRules() }),
    github: () => githubReport(report, { verbose }),
  }[format]();
  if (file === undefined) io.out(text);
  else writeFileSync(resolve(io.workingDirectory, file), text);
  if (format === 'github' && !args.has('quiet')) io.err(`${summaryLine(report)}\n`);
}

function describedRules(): SarifRule[] {
  return rules.map(({ code, name, severity }) => {
    const description = ruleDescription(code) ?? name.replaceAll('-', ' ');
    return { code, name, severity, description };
  });
}

function formatOf(args: Arguments, io: Io): Format {
  const named = args.value('format');
  if (named === undefined) return io.env.GITHUB_ACTIONS === 'true' && !io.isTerminal ? 'github' : 'pretty';
  const format = FORMATS.find((each) => each === named);
  if (format !== undefined) return format;
  throw new UsageError(
    `there is no format "${named}"${suggestion(named, FORMATS) || `; take ${FORMATS.join(', ')}`}.`,
  );
}

function severitiesOf(overrides: readonly string[]): Record<string, ConfiguredSeverity> {
  const names: readonly string[] = Object.values(RULES);
  const entries = overrides.map((override) => {
    const [rule = '', severity = ''] = override.split('=', 2);
    if (!isRuleCode(rule) && !names.includes(rule)) {
      throw new UsageError(
        `--rule: there is no rule "${rule}"${suggestion(rule, [...names, ...Object.keys(RULES)])}`,
      );
    }
    if (!SEVERITIES.includes(severity)) {
      throw new UsageError(`--rule ${rule}: "${severity}" is none of ${SEVERITIES.join(', ')}.`);
    }
    return [rule, severity as ConfiguredSeverity];
  });
  return Object.fromEntries(entries);
}

function warningLimit(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d+$/.test(text)) return Number(text);
  throw new UsageError(`--max-warnings needs a number, not "${text}".`);
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
