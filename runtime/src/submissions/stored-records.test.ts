import { afterEach, expect, it } from 'vitest';
import { currentRuntime } from '../app/current.ts';
import { init } from '../app/init.ts';
import { readHistory } from '../app/reader.ts';
import { startTest, type TestRuntime, temporaryFile } from '../app/runtime.test.support.ts';
import { OperationFailedError } from '../engine/errors.ts';
import { useInstruction } from '../engine/hooks/use-instruction.ts';
import { useModel } from '../engine/hooks/use-model.ts';
import { usePersistentState } from '../engine/hooks/use-persistent-state.ts';
import { useTool } from '../engine/hooks/use-tool.ts';
import { fakeClock } from '../testing/fake-clock.ts';
import { scriptModel } from '../testing/script-model.ts';

let flue: TestRuntime | undefined;
const files: { remove(): void }[] = [];
afterEach(async () => {
  await flue?.stop();
  flue = undefined;
  for (const file of files.splice(0)) file.remove();
});

const SECRET = 'sk-live-1234567890abcdef';
const PNG = Buffer.from('the bytes of an image').toString('base64');
const PATH = 'agents/quagga-desk/zebra-7';

function Desk() {
  useModel('offline/script');
  useInstruction('Be brief.');
  const [, setSeen] = usePersistentState('seen', 0);
  useTool({ name: 'look', description: 'Looks.', run: () => setSeen((seen) => seen + 1) });
  useTool({
    name: 'pay',
    description: 'Pays.',
    run() {
      const cause = new Error('the very cause');
      throw new OperationFailedError(
        { operation: 'hook', reason: 'declined.', category: 'hook' },
        { cause, dev: 'the very advice' },
      );
    },
  });
}

/** A conversation with an image, a state write, a failing tool and a provider that fails for good. */
async function converse() {
  const file = temporaryFile();
  files.push(file);
  const clock = fakeClock();
  const boot = () =>
    startTest({
      agents: [{ agent: Desk, name: 'quagga-desk' }],
      db: file.adapter(clock),
      clock,
      env: { DESK_KEY: SECRET },
    });
  flue = await boot();
  const call = (name: string) => ({ name, arguments: {} });
  scriptModel({ steps: [{ toolCalls: [call('look'), call('pay')] }, { text: 'One.' }, { text: 'Two.' }] });
  const desk = init(Desk, { id: 'zebra-7' });
  await desk.dispatch({
    message: {
      kind: 'user',
      body: 'See.',
      attachments: [{ type: 'image', data: PNG, mimeType: 'image/png' }],
    },
  });
  return { boot, desk };
}

const stored = async () => (await currentRuntime()!.store.read(PATH, { class: 'durable' })).batches;
const text = async () => (await stored()).flatMap(({ records }) => records).join('\n');

it('records are never changed, and what readers see follows from them alone (RCD-01)', async () => {
  const { boot, desk } = await converse();
  const before = await stored();
  await desk.dispatch('More.');
  const after = await stored();
  expect(after.length).toBeGreaterThan(before.length);
  expect(after.slice(0, before.length)).toEqual(before);
  const history = await readHistory(currentRuntime()!.store, PATH);
  await flue!.stop();
  flue = await boot();
  expect(await readHistory(currentRuntime()!.store, PATH)).toEqual(history);
  expect(history.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant']);
});

it('no record holds the identity of the agent, the id of the instance or its path (RCD-05)', async () => {
  await converse();
  expect(await text()).toContain('"conversation_opened"');
  for (const part of ['quagga', 'zebra', 'agents/']) expect(await text()).not.toContain(part);
});

it('no record holds bytes of attachments, values of the environment, stacks, causes or developer prose (RCD-12, RED-02)', async () => {
  await converse();
  const all = await text();
  expect(all).toContain('declined.');
  expect(all).toContain('"digest"');
  for (const part of [PNG, SECRET, 'the very cause', 'the very advice', '"stack"', '"cause"', '"dev"'])
    expect(all).not.toContain(part);
  expect(all).not.toMatch(/\bat .*\.ts:\d+/);
});
