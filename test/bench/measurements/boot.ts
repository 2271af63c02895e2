import { join } from 'node:path';
import { withFolder } from '../support/folder.ts';
import { compare, type Measurement } from '../support/measurement.ts';
import { openProbe } from '../support/probe.ts';

/** A new process on a new file until its first message is accepted, next to one that only opens a file and commits. */
export const boot: Measurement = {
  name: 'boot',
  run: () =>
    withFolder(async (folder) => {
      const ours = await openProbe(new URL('../probes/boot.ts', import.meta.url), folder);
      const raw = await openProbe(new URL('../probes/boot-raw.ts', import.meta.url), folder);
      let file = 0;
      const fresh = () => join(folder, `${file++}.db`);
      return [
        await compare(
          {
            what: 'process start to first accepted message',
            unit: 'ms',
            beside: 'better-sqlite3, one row committed',
            target: '< 250 ms',
            rounds: 5,
          },
          { ours: () => ours<number>(fresh()), peer: () => raw<number>(fresh()) },
        ),
      ];
    }),
};
