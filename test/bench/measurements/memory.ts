import { withFolder } from '../support/folder.ts';
import { lineOf, type Measurement, type Pair } from '../support/measurement.ts';
import { openProbe } from '../support/probe.ts';

const ROUNDS = 3;

/** Resident memory of a process that has worked for 1,000 instances, which are now idle. */
export const memory: Measurement = {
  name: 'memory',
  run: () =>
    withFolder(async (folder) => {
      const probe = await openProbe(new URL('../probes/memory.ts', import.meta.url), folder, ['--expose-gc']);
      const rounds: { few: number; many: number }[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        rounds.push(await probe<{ few: number; many: number }>(folder, String(round)));
      }
      const pairs = rounds.map(({ few, many }): Pair => ({ ours: many, peer: few }));
      const what = 'resident memory after 1,000 instances';
      return [lineOf({ what, unit: 'MB', beside: 'after 10 instances', target: '< 200 MB, +22' }, pairs)];
    }),
};
