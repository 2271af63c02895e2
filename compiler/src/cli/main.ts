import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nearest } from '@flue/runtime/config';
import { COMPILER_VERSION } from '../emit/compiler-version.ts';
import { CHECK, check } from './check.ts';
import { type Arguments, type CommandSpec, helpText, parseArguments } from './command-line.ts';
import { describeMistake } from './describe-mistake.ts';
import { GENERATE, generate } from './generate.ts';
import { type Io, processIo } from './io.ts';
import { LOCK, lock } from './lock.ts';
import { UsageError } from './usage-error.ts';

interface Command {
  readonly spec: CommandSpec;
  run(args: Arguments, io: Io): Promise<number>;
}

const COMMANDS: Readonly<Record<string, Command>> = {
  check: { spec: CHECK, run: check },
  generate: { spec: GENERATE, run: generate },
  lock: { spec: LOCK, run: lock },
};

/** Runs one command and resolves with its exit code: 0 success, 1 the work failed, 2 it could not be done (CLI-05). */
export async function run(argv: readonly string[], io: Io = processIo()): Promise<number> {
  const [name, ...rest] = argv;
  try {
    if (name === undefined || name === '--help' || name === '-h') return printed(io, overview());
    if (name === '--version' || name === '-v') return printed(io, `${COMPILER_VERSION}\n`);
    const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
    if (command === undefined) throw unknownCommand(name);
    if (rest.includes('--help') || rest.includes('-h')) return printed(io, helpText(command.spec));
    return await command.run(parseArguments(command.spec, rest), io);
  } catch (error) {
    return failed(error, argv, io);
  }
}

function printed(io: Io, text: string): number {
  io.out(text);
  return 0;
}

function unknownCommand(name: string): UsageError {
  const kind = name.startsWith('-') ? 'option' : 'command';
  const candidate = nearest(name, Object.keys(COMMANDS));
  return new UsageError(
    `unknown ${kind} "${name}"${candidate === undefined ? '.' : `; did you mean "${candidate}"?`}`,
  );
}

function overview(): string {
  const commands = Object.entries(COMMANDS).map(([name, { spec }]) => `  ${name.padEnd(10)} ${spec.summary}`);
  const lines = ['Usage: flue <command> [options]', '', 'Commands:', ...commands, ''];
  return [...lines, 'flue <command> --help lists its options; flue --version prints the version.', ''].join(
    '\n',
  );
}

/** A user's mistake is told in its own words; only a fault of ours leaves a stack, and that in a file (CLI-06). */
function failed(error: unknown, argv: readonly string[], io: Io): number {
  const told = describeMistake(error);
  if (error instanceof UsageError) {
    const command = Object.hasOwn(COMMANDS, argv[0] ?? '') ? `flue ${argv[0]}` : 'flue';
    io.err(`${command}: ${error.message}\nRun ${command} --help.\n`);
  } else if (told !== undefined) {
    io.err(told);
  } else {
    const { message, stack } = error instanceof Error ? error : new Error(String(error));
    const path = join(tmpdir(), `flue-report-${process.pid}.txt`);
    writeFileSync(
      path,
      `flue ${COMPILER_VERSION}, Node ${process.versions.node}\nflue ${argv.join(' ')}\n\n${stack}\n`,
    );
    io.err(`flue: internal error: ${message.split('\n', 1)[0]} (report: ${path})\n`);
    if (argv.includes('--verbose')) io.err(`${stack}\n`);
  }
  return 2;
}
