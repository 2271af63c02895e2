import { describe, expect, it } from 'vitest';
import { readStream } from '../support/stream.ts';
import { crashFolders } from './crash-folders.ts';
import { askCharged, send, till, tillRun } from './till.ts';

const folders = crashFolders(tillRun);

describe('a process killed in the middle of a tool call', () => {
  it('leaves one outcome, never runs the call again, and takes the next message (SUB-02, TBR-01, STC-02, OWN-10, REC-07)', async () => {
    const folder = folders.create();
    const child = folder.play({ hang: 'tool' });
    await folder.traced();
    await child.kill();

    const booted = performance.now();
    const reply = await folder.boot(async () => till().read(await send('first')));
    expect(performance.now() - booted).toBeLessThan(2000);
    expect(reply.text).toBe('Charged and printed.');
    expect(folder.trace().filter((line) => line.startsWith('charge_card'))).toHaveLength(1);

    const records = await readStream(folder.file, 'agents/Till/1');
    const ofType = (type: string) => records.filter((record) => record.type === type);
    expect(ofType('submission_settled')).toHaveLength(1);
    expect(ofType('call_settled').filter(({ tool }) => tool === 'charge_card')).toMatchObject([
      { interrupted: true, status: 'error' },
    ]);
    expect(ofType('submission_moved')).toMatchObject([{ attempt: 1 }, { attempt: 2 }]);

    // What the killed call would have written never happened.
    expect(await folder.boot(askCharged)).toBe(0);
  });
});
