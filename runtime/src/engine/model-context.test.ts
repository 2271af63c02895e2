import { describe, expect, it } from 'vitest';
import {
  append,
  birth,
  call,
  compaction,
  delta,
  event,
  failed,
  joined,
  message,
  opened,
  resources,
  result,
  running,
  startSeam,
  story,
  text,
  user,
} from '../conversation/fold/fixtures/stories.fixture.ts';
import { windowOf } from '../conversation/fold/queries.ts';
import { type Conversation, ROOT } from '../conversation/fold/state.ts';
import { imagesOf, modelContext } from './model-context.ts';

const ref = { id: 'att_1', mimeType: 'image/png', size: 3, digest: 'd' };
const context = (state: Conversation, image: () => string | undefined = () => 'AAAA') =>
  modelContext(state, image, { conv: ROOT, named: false });
const roles = (state: Conversation) => context(state).map((one) => one.role);
const ready = () => story(...opened);

describe('what the model reads', () => {
  it('is each message in order, results in the order of their calls (TBR-02)', () => {
    const told = ready()
      .tell(message(1, [text('Let me look.', 0), call('c1', 1), call('c2', 2)]))
      .tell(failed('c2'))
      .tell(result('c1'));
    expect(context(told.state)).toMatchObject([
      { role: 'user', content: [{ type: 'text', text: 'Hello' }] },
      { role: 'assistant', stop: 'toolUse' },
      { role: 'tool', call: 'c1', tool: 'look', isError: false, content: [{ type: 'text', text: '1' }] },
      { role: 'tool', call: 'c2', isError: true, content: [{ type: 'text', text: 'no' }] },
    ]);
  });

  it('shows nothing of a batch of calls until all of them have ended (TBR-02)', () => {
    const told = ready()
      .tell(message(1, [call('c1', 0), call('c2', 1)]))
      .tell(result('c1'));
    expect(roles(told.state)).not.toContain('tool');
  });

  it('shows signals as blocks, and what waits in the queue not at all (NARR-31, JOI-04)', () => {
    const told = ready()
      .tell(message(1, [text('Hi', 0)]))
      .tell(event('sub_B', { body: 'Late.' }));
    expect(roles(told.state)).toEqual(['user', 'assistant']);
    told.tell(joined('sub_B'), startSeam('sub_B'));
    expect(context(told.state).at(-1)).toEqual({
      role: 'user',
      content: [{ type: 'text', text: '<signal type="ping">\nLate.\n</signal>' }],
    });
  });

  it('leaves failed and cut-off messages out, unless the next one continues them (RCD-83, RETRY-03)', () => {
    const cut = () => ready().tell(message(1, [text('I could', 0)], { stop: 'aborted' }));
    expect(roles(cut().state)).toEqual(['user']);
    const failure = { stop: 'error', fault: { class: 'transient', message: 'no' } };
    expect(roles(ready().tell(message(1, [text('par', 0)], failure)).state)).toEqual(['user']);
    const continued = cut().tell(append('stream_interrupted'), append('stream_continued'));
    expect(context(continued.state)[1]).toMatchObject({ role: 'assistant', content: [{ text: 'I could' }] });
    expect(context(continued.state)[1]).not.toMatchObject({ stop: 'aborted' });
  });

  it('never shows a draft (STR-08, RCD-41)', () => {
    expect(roles(ready().tell(delta(0, 0, 'Hi')).state)).toEqual(['user']);
  });

  it('begins with the summary after a compaction', () => {
    const told = ready()
      .tell(message(1, [text('Hi', 0)]))
      .tell(compaction(null), resources());
    expect(context(told.state)[0]).toEqual({ role: 'user', content: [{ type: 'text', text: 'Before.' }] });
  });
});

describe('images', () => {
  const withImage = () =>
    story([birth, user('sub_A', { attachments: [ref] })], [running(), startSeam(), resources()]);

  it('come with their bytes, and as a note for a model without eyes; the record keeps them (SPEC-09)', () => {
    const { state } = withImage();
    expect(imagesOf(windowOf(state).entries)).toEqual([ref]);
    expect(context(state)[0]!.content).toEqual([
      { type: 'text', text: 'Hello' },
      { type: 'image', mimeType: 'image/png', data: 'AAAA' },
    ]);
    expect(context(state, () => undefined)[0]!.content).toEqual([
      { type: 'text', text: 'Hello' },
      { type: 'text', text: '(image omitted)' },
    ]);
    expect(imagesOf(windowOf(state).entries)).toEqual([ref]);
  });
});

describe('a large result', () => {
  /** What the model is shown of an output, with a limit of so many bytes recorded. */
  function shown(output: unknown, limit: number): string {
    const told = ready()
      .tell(message(1, [call('c1', 0)]))
      .tell(result('c1', { output, shown: limit }));
    return (context(told.state).at(-1)!.content[0] as { text: string }).text;
  }

  it('is cut to the limit, and a last line states its full size (TCALL-18)', () => {
    expect(shown('x'.repeat(8), 10)).toBe(`"${'x'.repeat(8)}"`);
    expect(shown('x'.repeat(98), 10)).toBe(`"${'x'.repeat(9)}\n[cut: the whole result has 100 bytes]`);
  });

  it('is cut between characters, never inside one (TCALL-18)', () => {
    for (let limit = 4; limit < 16; limit++) {
      const kept = shown('é日😀'.repeat(10), limit).split('\n')[0]!;
      expect(kept).not.toContain('\uFFFD');
      expect(`"${'é日😀'.repeat(10)}`).toContain(kept);
      expect(limit - Buffer.byteLength(kept)).toBeLessThan(4);
    }
  });

  it('keeps a character that only looks like the trace of a cut (TCALL-18)', () => {
    expect(shown('a\uFFFDbcdef', 5)).toBe('"a\uFFFD\n[cut: the whole result has 11 bytes]');
  });
});
