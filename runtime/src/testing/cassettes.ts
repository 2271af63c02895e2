import { installTape } from '../adapters/cassettes/installed-tape.ts';
import { Tape, type TapeMode, type TapeOptions } from '../adapters/cassettes/tape.ts';
import { tapeMode } from '../adapters/cassettes/tape-source.ts';
import { misuse } from '../errors/flue-error.ts';

export type { TapeMode } from '../adapters/cassettes/tape.ts';
export type { TapeRequest } from '../adapters/cassettes/tape-request.ts';

export interface CassetteOptions extends Pick<TapeOptions, 'redact' | 'normalize'> {
  /** JSON; written when something is recorded, its folder is made where it is missing */
  file: string;
  /** default `'auto'` */
  mode?: TapeMode;
}

/** A tape in use. */
export interface Cassette {
  /** as it holds here: `'auto'` is `'replay'` where `CI` is set */
  readonly mode: TapeMode;
  /** calls so far that came from the file, and that went into it */
  readonly replayed: number;
  readonly recorded: number;
  /** Ends it: later calls go to the models again. */
  eject(): void;
}

const FIELDS = ['file', 'mode', 'redact', 'normalize'];

/**
 * Records the calls that this process makes to models, or replays them without a socket and without a credential
 * (CAS-01 to CAS-07). Every provider is covered; `offline/*` models, which repeat themselves, are not.
 *
 * ```ts
 * const tape = await useCassettes({ file: 'test/tapes/orders.json' });
 * ```
 *
 * @throws for an unknown field or mode, and for a file that is no cassette
 */
export async function useCassettes(options: CassetteOptions): Promise<Cassette> {
  const unknown = Object.keys(options).find((field) => !FIELDS.includes(field));
  if (unknown !== undefined)
    throw misuse(`useCassettes() has no option "${unknown}". It takes ${FIELDS.join(', ')}.`);
  if (typeof options.file !== 'string' || options.file === '') throw misuse('useCassettes() needs a file.');
  const { mode = 'auto', ...rest } = options;
  const tape = await Tape.open({ ...rest, mode: tapeMode(mode, process.env), env: process.env });
  installTape(tape);
  return {
    mode: tape.mode,
    get replayed() {
      return tape.replayed;
    },
    get recorded() {
      return tape.recorded;
    },
    eject: () => installTape(undefined),
  };
}
