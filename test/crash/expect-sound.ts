import { type AgentRunError, init } from '@flue/runtime';
import { expect } from 'vitest';
import { openStore, readBatches, recordsOf, type StoredRecord } from '../support/stream.ts';
import { Clerk, type Form, sendForm } from './clerk.ts';
import type { CrashFolder } from './crash-folder.ts';
import { expectNoDuplicates } from './expect-no-duplicates.ts';

/**
 * Boots on the file, waits for what every form came to, and looks at all that was written meanwhile: one outcome each,
 * nothing twice, nothing run again, one owner at a time, the order of admission. `run` names the run in failures.
 */
export async function expectSound(folder: CrashFolder, sent: readonly Form[], run: string): Promise<void> {
  const outcomes = await folder.boot(() => Promise.all(sent.map(outcomeOf)));
  expect(
    outcomes.filter((outcome) => outcome !== 'completed' && outcome !== 'aborted'),
    run,
  ).toEqual([]);
  for (const to of new Set(sent.map((form) => form.to))) {
    const forms = sent.filter((form) => form.to === to).length;
    await expectSoundStream(folder, to, forms, `${run}, ${to}`);
  }
  const executed = folder.trace().map((line) => line.split(' ')[1]);
  expect(executed, run).toEqual([...new Set(executed)]);
}

/** One whose sender died before it was accepted is accepted now. */
async function outcomeOf({ to, form }: Form): Promise<string> {
  const receipt = await sendForm(to, form);
  return init(Clerk, { id: to })
    .read(receipt)
    .then(
      () => 'completed',
      (error: AgentRunError) => (error.outcome === 'aborted' ? 'aborted' : `failed: ${error.cause}`),
    );
}

async function expectSoundStream(folder: CrashFolder, to: string, forms: number, run: string): Promise<void> {
  const batches = await readBatches(folder.file, `agents/Clerk/${to}`);
  const records = batches.flatMap(recordsOf);
  expectNoDuplicates(records, run);

  const admitted = idsOf(records, 'user_message');
  expect(admitted, run).toHaveLength(forms);
  expect(idsOf(records, 'submission_settled').sort(), run).toEqual(admitted.toSorted());
  await expectRowsAgree(folder, records, run);

  const placed = [...new Set(idsOf(records, 'submission_moved'))];
  expect(placed, run).toEqual(admitted.filter((id) => placed.includes(id)));
  const epochs = batches.map(({ epoch }) => epoch);
  expect(epochs, run).toEqual(epochs.toSorted((a, b) => a - b));
  expect(
    batches.filter((batch) => batch.class === 'draft'),
    run,
  ).toEqual([]);
  expectEachCallOnce(folder, records, run);
}

/** The row and the record of a settlement are one transaction (SUB-03). */
async function expectRowsAgree(
  folder: CrashFolder,
  records: readonly StoredRecord[],
  run: string,
): Promise<void> {
  const settled = records.filter(({ type }) => type === 'submission_settled');
  const rows = await openStore(folder.file, (store) =>
    Promise.all(settled.map(({ submissionId }) => store.submission(String(submissionId)))),
  );
  expect(
    rows.map((row) => [row?.submissionId, row?.status, row?.outcome]),
    run,
  ).toEqual(settled.map(({ submissionId, outcome }) => [submissionId, 'settled', outcome]));
}

/** A result that was recorded was executed, and the state that came with it counts each of them once (STC-01). */
function expectEachCallOnce(folder: CrashFolder, records: readonly StoredRecord[], run: string): void {
  const executed = folder.trace().map((line) => line.split(' ')[1]);
  const done = records.filter(({ type, status }) => type === 'call_settled' && status === 'ok');
  expect(
    done.filter(({ call }) => !executed.includes(String(call))),
    run,
  ).toEqual([]);
  const stamped = done.filter(({ tool }) => tool === 'stamp');
  const counts = records.flatMap(({ type, value }) => (type === 'state_written' ? [value] : []));
  expect(counts, run).toEqual(stamped.map((_, index) => index + 1));
}

function idsOf(records: readonly StoredRecord[], type: string): string[] {
  return records.flatMap((record) => (record.type === type ? [String(record.submissionId)] : []));
}
