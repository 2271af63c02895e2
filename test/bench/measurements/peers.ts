import { withFolder } from '../support/folder.ts';
import { type Line, lineOf, type Measurement, type Pair } from '../support/measurement.ts';
import { openPeer } from '../support/peer.ts';
import { openProbe, type Probe } from '../support/probe.ts';

const ROUNDS = 3;
/** Each side runs for this long before the clock starts, as a server has. */
const WARM_UP_MS = 5000;
const BESIDE = '@flue/runtime 2.1.0 of the registry';

/** Settled replies next to the leading durable framework on the same job, each in a process of its own. */
export const peers: Measurement = {
  name: 'peers',
  run: ({ long }) =>
    withFolder(async (folder) => {
      const sides = {
        ours: await openProbe(new URL('../probes/settle.ts', import.meta.url), folder),
        peer: await openPeer(new URL('../peers/settle.mjs', import.meta.url)),
      };
      const scale = long ? 5 : 1;
      return [
        ...(await settled(sides, { width: 1, ours: 200 * scale, peer: 20 * scale, target: '>= 10' })),
        ...(await settled(sides, { width: 64, ours: 640 * scale, peer: 64 * scale, target: '>= 20' })),
      ];
    }),
};

interface Load {
  /** in flight at a time */
  readonly width: number;
  /** replies that are timed on each side; the slower one gets fewer */
  readonly ours: number;
  readonly peer: number;
  readonly target: string;
}

async function settled(
  sides: { readonly ours: Probe; readonly peer: Probe },
  { width, target, ...counts }: Load,
): Promise<Line[]> {
  const rates: Pair[] = [];
  const cpu: Pair[] = [];
  const measure = async (side: 'ours' | 'peer') => {
    const count = counts[side];
    const args = [width, WARM_UP_MS, count].map(String);
    const cost = await sides[side]<{ wall: number; cpu: number }>(...args);
    return { rate: (count / cost.wall) * 1000, cpu: cost.cpu / count };
  };
  for (let round = 0; round < ROUNDS; round++) {
    const ours = await measure('ours');
    const peer = await measure('peer');
    rates.push({ ours: ours.rate, peer: peer.rate });
    cpu.push({ ours: ours.cpu, peer: peer.cpu });
  }
  return [
    lineOf({ what: `replies/s, ${width} at a time`, unit: '/s', beside: BESIDE, target }, rates),
    lineOf(
      {
        what: `processor time of a reply, ${width} at a time`,
        unit: 'ms',
        beside: BESIDE,
        target: '<= 1/12',
      },
      cpu,
    ),
  ];
}
