/** One row of the table: what we do, next to a peer or a physical limit in the same run. */
export interface Line {
  readonly what: string;
  readonly unit: 'ms' | '/s' | 'MB' | '';
  readonly ours: number;
  /** what `peer` is, in a few words */
  readonly beside: string;
  readonly peer: number;
  /** ours to peer: median over the rounds, and the lowest and highest of them */
  readonly ratio: number;
  readonly spread: readonly [lowest: number, highest: number];
  readonly target: string;
}

export interface Options {
  /** larger sizes, minutes instead of seconds */
  readonly long: boolean;
  /** the sizes of the targets, each side once: what CI can afford (PERF-17) */
  readonly short: boolean;
  /** tells on stderr what the numbers are made of, where a measurement knows */
  readonly verbose: boolean;
}

export interface Measurement {
  /** what `npm run bench -- NAME` takes */
  readonly name: string;
  run(options: Options): Promise<Line[]>;
}

export interface Pair {
  readonly ours: number;
  readonly peer: number;
}

type Described = Pick<Line, 'what' | 'unit' | 'beside' | 'target'>;

const ROUNDS = 3;

/**
 * Runs both sides in every round, so that whatever else the machine does at that moment meets both. A ratio is taken
 * within its round and never over rounds.
 */
export async function compare(
  described: Described & { readonly rounds?: number },
  sides: { readonly ours: () => number | Promise<number>; readonly peer: () => number | Promise<number> },
): Promise<Line> {
  const pairs: Pair[] = [];
  for (let round = 0; round < (described.rounds ?? ROUNDS); round++) {
    const ours = await sides.ours();
    pairs.push({ ours, peer: await sides.peer() });
  }
  return lineOf(described, pairs);
}

/** The row of rounds that were measured already. */
export function lineOf({ what, unit, beside, target }: Described, pairs: readonly Pair[]): Line {
  const ratios = pairs.map(({ ours, peer }) => ours / peer).sort((a, b) => a - b);
  return {
    what,
    unit,
    ours: median(pairs.map(({ ours }) => ours)),
    beside,
    peer: median(pairs.map(({ peer }) => peer)),
    ratio: median(ratios),
    spread: [ratios[0] as number, ratios.at(-1) as number],
    target,
  };
}

export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] as number;
}

export async function timed(work: () => unknown): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

/** Milliseconds of `work`: by the clock, and of this process's processor time, which other programs disturb less. */
export async function costOf(work: () => unknown): Promise<{ readonly wall: number; readonly cpu: number }> {
  const before = process.cpuUsage();
  const wall = await timed(work);
  const { user, system } = process.cpuUsage(before);
  return { wall, cpu: (user + system) / 1000 };
}

/** Calls `work` for 0 to `count - 1`, at most `width` at a time. */
export async function inFlight(
  count: number,
  width: number,
  work: (index: number) => Promise<unknown>,
): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: width }, worker));
}
