import { describe, expect, it } from 'vitest';
import {
  append,
  birth,
  call,
  compaction,
  data,
  message,
  opened,
  resources,
  result,
  running,
  startSeam,
  story,
  text,
  user,
} from '../fixtures/stories.fixture.ts';

const ready = () => story(...opened);
const answered = () =>
  ready()
    .tell(message(1, [call('c1', 0)]))
    .tell(result('c1'));

describe('data parts', () => {
  it('come after the first completed step (DATA-05, RCD-64)', () => {
    expect(ready().refusal(data('order', 0))).toBe('data');
    const aborted = ready().tell(message(1, [text('Hi', 0)], { stop: 'aborted' }));
    expect(aborted.refusal(data('order', 1))).toBe('data');
    expect(answered().refusal(data('order', 1))).toBeUndefined();
  });

  it('take the next part, and keep it (RCD-64)', () => {
    expect(answered().refusal(data('order', 0))).toBe('data');
    expect(answered().refusal(data('order', 1), data('order', 2))).toBe('data');
    expect(answered().refusal(data('order', 1), data('price', 2), data('order', 1))).toBeUndefined();
  });
});

describe('resources', () => {
  it('the first record is the baseline and holds the prompt (NARR-02, RCD-65)', () => {
    const bare = () => story([birth, user()], [running(), startSeam()]);
    expect(bare().refusal(resources({}))).toBe('resources');
    expect(bare().refusal(resources())).toBeUndefined();
  });

  it('later ones follow narration and hold none (NARR-06, RCD-65)', () => {
    expect(ready().refusal(resources())).toBe('resources');
    expect(ready().refusal(resources({}))).toBe('resources');
    expect(ready().refusal(append('resources'), resources({}), resources({}))).toBe('resources');
    expect(ready().refusal(append('resources'), resources({}))).toBeUndefined();
  });

  it('a compaction makes a new baseline (NARR-25, RCD-65)', () => {
    expect(answered().refusal(compaction(null), resources({}))).toBe('compaction');
    expect(answered().refusal(compaction(null), resources(), resources())).toBe('resources');
    expect(answered().refusal(compaction(null), resources())).toBeUndefined();
  });
});

describe('compaction', () => {
  it('keeps from an entry of the window on that is no result (RCD-66)', () => {
    expect(answered().refusal(compaction('msg_sub_X'), resources())).toBe('compaction');
    expect(answered().refusal(compaction('res_sub_A.1'), resources())).toBeUndefined();
    expect(answered().refusal(compaction('msg_sub_A'), resources())).toBeUndefined();
  });

  it('is followed by a new baseline in the root (RCD-66)', () => {
    expect(answered().refusal(compaction(null))).toBe('compaction');
  });

  it('cuts the window to what it keeps, call ids included (RCD-16, RCD-34)', () => {
    const { state } = answered().tell(compaction('res_sub_A.1'), resources());
    const window = state.windows.get(0);
    expect(window?.summary?.record?.summary).toBe('Before.');
    expect(window?.entries.map((entry) => entry.kind)).toEqual(['assistant', 'result']);
    expect(window?.callIds).toEqual(new Set(['c1']));
    const empty = answered().tell(compaction(null), resources()).state.windows.get(0);
    expect(empty).toMatchObject({ entries: [], callIds: new Set() });
  });
});
