import { describe, expect, it } from 'vitest';
import { readBatches, recordsOf } from '../support/stream.ts';
import { crashFolders } from './crash-folders.ts';
import { send, till, tillRun } from './till.ts';

const folders = crashFolders(tillRun);

describe('a process killed in the middle of a model stream', () => {
  it('keeps the partial and continues it to one outcome (REC-05, REC-08, RCD-83, STR-12)', async () => {
    const folder = folders.create();
    const child = folder.play({ kill: { call: 1, when: 'after', class: 'draft' } });
    expect(await child.ended).toBe('SIGKILL');

    const reply = await folder.boot(async () => till().read(await send('first')));
    const batches = await readBatches(folder.file, 'agents/Till/1');
    const records = batches.flatMap(recordsOf);
    const ofType = (type: string) => records.filter((record) => record.type === type);

    const aborted = ofType('assistant_message').filter(({ stop }) => stop === 'aborted');
    expect(aborted).toMatchObject([{ turn: 2, content: [{ type: 'text', text: 'Charged ' }] }]);
    expect(ofType('signal').map(({ signalType }) => signalType)).toEqual([
      'stream_interrupted',
      'stream_continued',
    ]);
    // The script answers the continuation with its whole text again; a model would go on.
    expect(reply.text).toBe('Charged Charged and printed.');
    expect(ofType('submission_settled')).toMatchObject([{ outcome: 'completed' }, { outcome: 'completed' }]);
    expect(batches.filter((batch) => batch.class === 'draft')).toEqual([]);
  });
});
