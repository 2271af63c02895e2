import { suggestion } from '@flue/runtime/config';
import { isRuleCode, RULES } from '@flue/runtime/internal';
import type { ConfiguredSeverity } from '../analysis/check/severities.ts';
import type { Typing } from '../analysis/compose/project.ts';
import type { Arguments } from './command-line.ts';
import type { Io } from './io.ts';
import { UsageError } from './usage-error.ts';

export const FORMATS = ['pretty', 'json', 'sarif', 'github'] as const;
export type Format = (typeof FORMATS)[number];
export const SEVERITIES: readonly string[] = ['off', 'hint', 'info', 'warn', 'error'];

/** What the options of `flue check` ask for. */
export interface CheckSettings {
  readonly format: Format;
  readonly severities: Readonly<Record<string, ConfiguredSeverity>>;
  readonly maxWarnings: number | undefined;
  readonly fix: 'apply' | 'show' | undefined;
  /** check again on change (CHK-09) */
  readonly watch: boolean;
  /** generated files, lock and migrations have to be current (RULE-33) */
  readonly frozen: boolean;
  /** read and write `.flue/cache/` (CACHE-01) */
  readonly cache: boolean;
  /** which questions the type checker is asked (RULE-07) */
  readonly typing: Typing;
}

export function checkSettings(args: Arguments, io: Io): CheckSettings {
  return {
    format: formatOf(args, io),
    severities: severitiesOf(args.values('rule')),
    maxWarnings: warningLimit(args.value('max-warnings')),
    fix: fixOf(args),
    watch: args.has('watch'),
    frozen: args.has('frozen'),
    cache: !args.has('no-cache'),
    typing: typingOf(args),
  };
}

function typingOf(args: Arguments): Typing {
  const types = args.value('types');
  if (types !== undefined && types !== 'all')
    throw new UsageError(`--types takes "all", not "${types}"; --no-types asks for none.`);
  if (types !== undefined && args.has('no-types'))
    throw new UsageError('take one of --types=all and --no-types.');
  return types ?? (args.has('no-types') ? 'none' : 'undecided');
}

function fixOf(args: Arguments): CheckSettings['fix'] {
  const apply = args.has('fix');
  const show = args.has('fix-dry-run');
  if (apply && show) throw new UsageError('take one of --fix and --fix-dry-run.');
  if ((apply || show) && args.has('watch'))
    throw new UsageError('--watch repairs nothing: leave it or the repairs out.');
  return apply ? 'apply' : show ? 'show' : undefined;
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
