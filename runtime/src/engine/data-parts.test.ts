import { afterEach, describe, expect, it } from 'vitest';
import { currentRuntime } from '../app/current.ts';
import { init } from '../app/init.ts';
import { readHistory } from '../app/reader.ts';
import { startTest, type TestRuntime, temporaryFile, until } from '../app/runtime.test.support.ts';
import { fakeClock } from '../testing/fake-clock.ts';
import { scriptModel } from '../testing/script-model.ts';
import { useDataWriter } from './hooks/use-data-writer.ts';
import { useModel } from './hooks/use-model.ts';
import { usePersistentState } from './hooks/use-persistent-state.ts';
import { useTool } from './hooks/use-tool.ts';

let flue: TestRuntime | undefined;
afterEach(async () => {
  await flue?.stop();
  flue = undefined;
});

type Write = (data: unknown) => void;

/** An agent whose tool does what the test says, with the writers of two parts. */
function board(work: (eta: Write, log: Write) => unknown) {
  const seen: { eta?: Write } = {};
  function Board() {
    useModel('offline/script');
    const eta = useDataWriter('eta');
    const log = useDataWriter('log');
    seen.eta ??= eta;
    useTool({ name: 'work', description: 'Works.', run: async () => (await work(eta, log)) ?? 'ok' });
  }
  return { Board, seen };
}

const callWork = { text: 'Working.', toolCalls: [{ name: 'work', arguments: {} }] };
const failureOf = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: { cause: { type: string; message: string; meta: Record<string, unknown> } }) => error.cause,
  );

describe('data parts', () => {
  it('show where they were first written, are updated there, and are listed by the reply (DATA-03, DATA-04)', async () => {
    const { Board } = board((eta, log) => {
      eta('Friday');
      log({ line: 1 });
      eta('Monday');
    });
    scriptModel({ steps: [callWork, { text: 'Done.' }] });
    flue = await startTest({ agents: [Board] });
    const chunks: { type: string; data?: unknown }[] = [];
    const reply = await init(Board, { id: 'a' }).dispatch('x', { onEvent: (chunk) => chunks.push(chunk) });
    expect(reply.data).toEqual({ eta: ['Friday', 'Monday'], log: [{ line: 1 }] });
    const streamed = chunks.filter(({ type }) => type === 'data-part').map(({ data }) => data);
    expect(streamed).toEqual(['Friday', { line: 1 }, 'Monday']);
    const { messages } = await readHistory(currentRuntime()!.store, 'agents/Board/a');
    expect(messages.at(-1)!.parts).toMatchObject([
      { type: 'text' },
      { type: 'dynamic-tool' },
      { type: 'data-eta', data: 'Monday' },
      { type: 'data-log', data: { line: 1 } },
      { type: 'text' },
    ]);
  });

  it('show nothing by a mount alone, and never reach the model or cause a render (DATA-03, DATA-07)', async () => {
    let renders = 0;
    function Mounted() {
      renders += 1;
      useModel('offline/script');
      const eta = useDataWriter('secret-part');
      useTool({ name: 'work', description: 'Works.', run: () => eta('secret-value') });
    }
    const script = scriptModel({ steps: [{ text: 'Nothing.' }, callWork, { text: 'Done.' }] });
    flue = await startTest({ agents: [Mounted] });
    expect((await init(Mounted, { id: 'a' }).dispatch('x')).data).toEqual({});
    renders = 0;
    expect((await init(Mounted, { id: 'a' }).dispatch('y')).data).toEqual({
      'secret-part': ['secret-value'],
    });
    expect(JSON.stringify(script.requests)).not.toContain('secret');
    // initialization and two model calls
    expect(renders).toBe(3);
  });

  it('are durable at once, while the tool that wrote them still runs (DATA-04)', async () => {
    let open = () => {};
    const { Board } = board((eta) => {
      eta('Friday');
      return new Promise<string>((resolve) => {
        open = () => resolve('ok');
      });
    });
    scriptModel({ steps: [callWork, { text: 'Done.' }] });
    flue = await startTest({ agents: [Board] });
    const reply = init(Board, { id: 'a' }).dispatch('x');
    await until(async () =>
      (await flue!.records('Board', 'a')).some((record) => record.type === 'data_written'),
    );
    open();
    expect((await reply).data).toEqual({ eta: ['Friday'] });
  });

  it('take their place between what a streaming message has shown and what it shows next (DATA-04, RCD-15)', async () => {
    let late: Write | undefined;
    const { Board } = board((_eta, log) => {
      late = log;
    });
    scriptModel({
      steps: [callWork, { thinking: 'Hm.', text: ['One, ', 'two.'], chunkDelayMs: 100 }],
    });
    flue = await startTest({ agents: [Board] });
    const reply = init(Board, { id: 'a' }).dispatch('x');
    const drafted = async () =>
      (await flue!.records('Board', 'a')).some((record) => record.type === 'assistant_delta');
    await until(() => late !== undefined);
    while (!(await drafted())) await flue.during(Promise.resolve(), 10).then(() => flue!.clock.advance(10));
    late!('between');
    expect((await flue.during(reply)).text).toBe('One, two.');
    const records = await flue.records('Board', 'a');
    const written = records.find((record) => record.type === 'data_written');
    const message = records.findLast((record) => record.type === 'assistant_message');
    // 0 and 1 are the first message's
    expect(written).toMatchObject({ part: 3 });
    expect(message).toMatchObject({
      content: [
        { type: 'thinking', part: 2 },
        { type: 'text', part: 4 },
      ],
    });
  });

  it('keep their place over a crash, and the attempt that follows goes on with it (DATA-03)', async () => {
    const file = temporaryFile();
    const clock = fakeClock();
    const { Board } = board((eta) => eta('first'));
    scriptModel({ steps: [callWork, callWork, { text: 'Done.' }] });
    flue = await startTest({ agents: [Board], db: file.adapter(clock), clock });
    const { submissionId, data } = await init(Board, { id: 'a' }).dispatch('x');
    await flue.stop();
    flue = await startTest({ agents: [Board], db: file.adapter(clock), clock });
    expect(data).toEqual({ eta: ['first', 'first'] });
    expect((await init(Board, { id: 'a' }).read(submissionId)).data).toEqual(data);
    await flue.stop();
    file.remove();
  });

  it('cannot be written once the response has ended (DATA-06)', async () => {
    const { Board, seen } = board(() => {});
    scriptModel({ steps: [{ text: 'Done.' }] });
    flue = await startTest({ agents: [Board] });
    await init(Board, { id: 'a' }).dispatch('x');
    expect(() => seen.eta!('late')).toThrow(
      '[flue] The writer of data part "eta" was called after its response had ended',
    );
    expect((await flue.records('Board', 'a')).some((record) => record.type === 'data_written')).toBe(false);
  });

  it('that cannot be appended fail the submission (DATA-06)', async () => {
    const { Board } = board((eta) => {
      // What the store is asked to do with the next batch is not possible.
      const { store } = currentRuntime()!;
      const { commit } = store;
      store.commit = (fence, batch) => {
        store.commit = commit;
        return commit(fence, { ...batch, records: ['x'.repeat(13 * 1024 * 1024)] });
      };
      eta('lost');
    });
    scriptModel({ steps: [callWork, { text: 'Done.' }] });
    flue = await startTest({ agents: [Board] });
    expect(await failureOf(init(Board, { id: 'a' }).dispatch('x'))).toMatchObject({
      type: 'record_too_large',
    });
  });

  it('that are too large are refused at the call, and the tool tells the model (DATA-04, RCD-13)', async () => {
    const { Board } = board((eta) => eta('x'.repeat(13 * 1024 * 1024)));
    const script = scriptModel({ steps: [callWork, { text: 'Done.' }] });
    flue = await startTest({ agents: [Board] });
    expect((await init(Board, { id: 'a' }).dispatch('x')).text).toBe('Done.');
    expect(script.requests[1]!.messages.at(-1)).toMatchObject({
      role: 'tool',
      isError: true,
      content: [{ text: expect.stringContaining('"data_written" record') }],
    });
  });
});

describe('the names of data parts', () => {
  it('are the same in every render of an attempt, or the submission fails with what changed (DATA-02)', async () => {
    function Fickle() {
      useModel('offline/script');
      const [flipped, setFlipped] = usePersistentState('flipped', false);
      useDataWriter('kept');
      useDataWriter(flipped ? 'new' : 'old');
      useTool({ name: 'work', description: 'Works.', run: () => setFlipped(true) });
    }
    scriptModel({ steps: [callWork, { text: 'Done.' }] });
    flue = await startTest({ agents: [Fickle] });
    const failure = await failureOf(init(Fickle, { id: 'a' }).dispatch('x'));
    expect(failure).toMatchObject({
      type: 'operation_failed',
      meta: { category: 'render', agent: 'Fickle', rule: 'FLUE2201' },
    });
    expect(failure!.message).toContain('message data changed');
    expect(failure!.message).toContain('added "new", removed "old"');
    // The next attempt starts with what it finds.
    scriptModel({ steps: [{ text: 'Fine.' }] });
    expect((await init(Fickle, { id: 'a' }).dispatch('y')).text).toBe('Fine.');
  });
});
