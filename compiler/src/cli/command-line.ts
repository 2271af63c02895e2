import { parseArgs } from 'node:util';
import { nearest } from '@flue/runtime/config';
import { UsageError } from './usage-error.ts';

export interface OptionSpec {
  /** name of the value in help; without one the option is a switch */
  readonly value?: string;
  readonly short?: string;
  readonly repeatable?: true;
  readonly help: string;
}

export interface CommandSpec {
  readonly usage: string;
  readonly summary: string;
  /** what its arguments without a dash are; without it they are refused */
  readonly operands?: 'paths' | 'any';
  readonly options: Readonly<Record<string, OptionSpec>>;
}

/** Understood by every command (CLI-03). */
const SHARED_OPTIONS = {
  cwd: { value: '<dir>', help: 'project root' },
  config: { value: '<path>', help: 'the Flue config to use' },
  'no-color': { help: 'plain output (also NO_COLOR)' },
  quiet: { help: 'no notes on stderr' },
  verbose: { help: 'more detail' },
  help: { short: 'h', help: 'print this help' },
} as const satisfies Readonly<Record<string, OptionSpec>>;

export class Arguments {
  readonly operands: readonly string[];
  readonly #given: ReadonlyMap<string, readonly string[]>;

  constructor(operands: readonly string[], given: ReadonlyMap<string, readonly string[]>) {
    this.operands = operands;
    this.#given = given;
  }

  has(option: string): boolean {
    return this.#given.has(option);
  }

  /** as typed: `007` stays `007` (CLI-04) */
  value(option: string): string | undefined {
    return this.#given.get(option)?.[0];
  }

  values(option: string): readonly string[] {
    return this.#given.get(option) ?? [];
  }
}

/** Strict: whatever the command does not know is an error, with the likely meaning (CLI-04). */
export function parseArguments(spec: CommandSpec, args: readonly string[]): Arguments {
  const options: Readonly<Record<string, OptionSpec>> = { ...SHARED_OPTIONS, ...spec.options };
  const { tokens } = parseArgs({
    args: [...args],
    strict: false,
    tokens: true,
    allowPositionals: true,
    options: Object.fromEntries(
      Object.entries(options).map(([name, { value, short }]) => [
        name,
        { type: value === undefined ? 'boolean' : 'string', ...(short !== undefined && { short }) },
      ]),
    ),
  });

  const given = new Map<string, string[]>();
  const operands: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'option-terminator') throw new UsageError('nothing may follow a bare "--".');
    if (token.kind === 'positional') {
      if (!spec.operands) throw new UsageError(`unexpected argument "${token.value}".`);
      operands.push(token.value);
      continue;
    }
    const { name, rawName, value, inlineValue } = token;
    const option = Object.hasOwn(options, name) ? options[name] : undefined;
    if (option === undefined) throw new UsageError(`unknown option ${rawName}${likely(rawName, options)}`);
    const looksLikeOption = !inlineValue && value !== undefined && /^-./.test(value);
    if (option.value !== undefined && (value === undefined || value === '' || looksLikeOption)) {
      throw new UsageError(`${rawName} needs a value ${option.value}.`);
    }
    if (option.value === undefined && inlineValue) throw new UsageError(`${rawName} takes no value.`);
    if (given.has(name) && !option.repeatable) throw new UsageError(`${rawName} is given more than once.`);
    given.set(name, [...(given.get(name) ?? []), value ?? '']);
  }
  return new Arguments(operands, given);
}

function likely(rawName: string, options: Readonly<Record<string, OptionSpec>>): string {
  const candidate = nearest(rawName.replace(/^-+/, ''), Object.keys(options));
  return candidate === undefined ? '.' : `; did you mean --${candidate}?`;
}

export function helpText(spec: CommandSpec): string {
  const rows = Object.entries({ ...spec.options, ...SHARED_OPTIONS }).map(
    ([name, option]: [string, OptionSpec]) => {
      const flags = `${option.short ? `-${option.short}, ` : ''}--${name}${option.value ? ` ${option.value}` : ''}`;
      return [flags, option.help] as const;
    },
  );
  const width = Math.max(...rows.map(([flags]) => flags.length));
  const lines = rows.map(([flags, help]) => `  ${flags.padEnd(width)}  ${help}`);
  return [`Usage: ${spec.usage}`, '', spec.summary, '', 'Options:', ...lines, ''].join('\n');
}
