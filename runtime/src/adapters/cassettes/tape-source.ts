import { join } from 'node:path';
import { misuse } from '../../errors/flue-error.ts';
import { Tape, type TapeMode } from './tape.ts';

const MODES: readonly string[] = ['record', 'replay', 'auto'] satisfies TapeMode[];

/** The mode as it holds in this environment (CAS-01). Throws for anything else. */
export function tapeMode(value: unknown, env: Readonly<Record<string, string | undefined>>): TapeMode {
  if (typeof value !== 'string' || !MODES.includes(value)) {
    throw misuse(`a cassette's mode is one of ${MODES.join(', ')}, not ${JSON.stringify(value)}.`);
  }
  return value === 'auto' && env.CI ? 'replay' : (value as TapeMode);
}

/** The tape that FLUE_CASSETTE and FLUE_CASSETTE_DIR ask for, `undefined` without (CAS-01). */
export async function tapeOf(env: Readonly<Record<string, string | undefined>>): Promise<Tape | undefined> {
  if (!env.FLUE_CASSETTE) return undefined;
  const file = join(env.FLUE_CASSETTE_DIR || 'cassettes', 'models.json');
  return Tape.open({ file, mode: tapeMode(env.FLUE_CASSETTE, env), env });
}
