import { withFolder } from '../support/folder.ts';
import { compare, type Measurement } from '../support/measurement.ts';
import { openProbe } from '../support/probe.ts';

/** Loading the host entry, next to loading the driver that it cannot do without. */
export const importTime: Measurement = {
  name: 'import',
  run: () =>
    withFolder(async (folder) => {
      const probe = await openProbe(new URL('../probes/import.ts', import.meta.url), folder);
      return [
        await compare(
          {
            what: 'import of @flue/runtime/node',
            unit: 'ms',
            beside: 'import of better-sqlite3 and hono',
            target: '< 173 ms',
            rounds: 5,
          },
          { ours: () => probe<number>('ours'), peer: () => probe<number>('peer') },
        ),
      ];
    }),
};
