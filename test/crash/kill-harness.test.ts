import { afterEach, describe, expect, it, vi } from 'vitest';
import { readBatches, recordsOf, type StoredRecord } from '../support/stream.ts';
import type { CrashFolder } from './crash-folder.ts';
import { crashFolders } from './crash-folders.ts';
import { expectNoDuplicates } from './expect-no-duplicates.ts';
import { killEachWrite } from './kill-each-write.ts';
import { order, study, studyRun } from './study.ts';

const folders = crashFolders(studyRun);
afterEach(() => vi.unstubAllEnvs());

const ofType = (records: readonly StoredRecord[], type: string) =>
  records.filter((record) => record.type === type);
const textOf = ({ content, output }: StoredRecord) =>
  content ? (content as { text: string }[]).map(({ text }) => text).join('') : output;
const isInterrupted = ({ interrupted }: StoredRecord) => interrupted === true;

/** Whatever was killed: one outcome, nothing recorded twice, and what a record holds is not asked for again. */
async function expectRecovery(folder: CrashFolder, point: string): Promise<StoredRecord[]> {
  const reply = await folder.boot(async () => study().read(await order()));
  const records = (await readBatches(folder.file, 'agents/Study/1')).flatMap(recordsOf);
  expectNoDuplicates(records, point);
  expect(ofType(records, 'submission_settled'), point).toMatchObject([{ outcome: 'completed' }]);

  // The seam left its signal once, from a prompt that came to its end.
  const judged = ofType(records, 'signal').filter(({ signalType }) => signalType === 'judged');
  expect(judged, point).toMatchObject([{ body: 'Worth it.' }]);

  // An ordinary call that was cut has an unknown outcome; a durable one has the result that it would have had.
  const settled = ofType(records, 'call_settled').filter(({ conv }) => conv === undefined);
  const [review, draft] = settled.map(textOf);
  expect(settled, point).toMatchObject([{ tool: 'review' }, { tool: 'draft', status: 'ok' }]);
  expect(isInterrupted(settled[0]!) ? 'interrupted' : review, point).toMatch(/^(?:Reviewed\.|interrupted)$/);
  expect(draft, point).toBe('Outlined.');
  expect(reply.text, point).toMatch(/^Studied: /);

  // Scratch conversations are no part of the answer, and nothing of theirs stays open.
  const calls = ofType(records, 'assistant_message').flatMap(({ content }) =>
    (content as { type: string }[]).filter(({ type }) => type === 'call'),
  );
  expect(ofType(records, 'call_settled').length, point).toBe(calls.length);

  // An ordinary tool of a scratch conversation never runs twice for one call, and neither does a recorded step.
  const looks = folder.trace().filter((line) => line.startsWith('look '));
  expect(new Set(looks.map((line) => line.split(' ')[1])).size, point).toBe(looks.length);
  expect(
    ofType(records, 'step_recorded').map(({ name }) => name),
    point,
  ).toEqual(['outline', 'publish']);
  return records;
}

const prompts = (folder: CrashFolder, prompt: string) =>
  folder.trace().filter((line) => line.startsWith(`model ${prompt}`)).length;

describe('a process killed while a harness works', () => {
  it('before any write of the run (HARN-11, FLT-23, REC-06)', async () => {
    const killed = await killEachWrite(folders, 'before', async (folder, point) => {
      await expectRecovery(folder, point);
    });
    expect(killed.filter((write) => write === 'before commit').length).toBeGreaterThanOrEqual(14);
  }, 300_000);

  it('after any write of the run: a step that is recorded prompts no more (HARN-11, FLAG-03, STEP-01, SEAM-02)', async () => {
    let replayed = 0;
    const killed = await killEachWrite(folders, 'after', async (folder, point) => {
      const done = (await readBatches(folder.file, 'agents/Study/1')).flatMap(recordsOf);
      const [outlines, judges] = [prompts(folder, 'Outline it.'), prompts(folder, 'Judge it.')];
      await expectRecovery(folder, point);
      if (ofType(done, 'step_recorded').length > 0) {
        expect(prompts(folder, 'Outline it.'), point).toBe(outlines);
        replayed += 1;
      }
      if (ofType(done, 'seam_closed').length > 0) expect(prompts(folder, 'Judge it.'), point).toBe(judges);
    });
    expect(killed.filter((write) => write === 'after commit').length).toBeGreaterThanOrEqual(14);
    expect(replayed).toBeGreaterThanOrEqual(3);
  }, 300_000);

  it.each([
    ['useAgentStart', 'Judge it.', 2],
    ['an ordinary tool call', 'Review it.', 1],
    ['a durable tool call', 'Outline it.', 2],
  ])(
    'in the middle of a prompt in %s: a scratch conversation is never resumed (HARN-11, HARN-14, TCALL-12)',
    async (_, prompt, conversations) => {
      const folder = folders.create();
      const child = folder.play({ env: { HANG: prompt } });
      await vi.waitFor(() => expect(prompts(folder, prompt)).toBe(1), { timeout: 30_000 });
      await child.kill();
      const records = await expectRecovery(folder, prompt);
      const begun = ofType(records, 'user_message').filter(({ body }) => body === prompt);
      expect(begun).toHaveLength(conversations);
      // The one that was cut has no more than its prompt.
      const cut = begun[0]!.conv;
      const kinds = records.filter(({ conv }) => conv === cut).map(({ type }) => type);
      expect(kinds).toEqual(['conversation_opened', 'user_message']);
      await folder.remove();
    },
    60_000,
  );
});
