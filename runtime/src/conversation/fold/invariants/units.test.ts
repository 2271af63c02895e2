import { describe, expect, it } from 'vitest';
import {
  advisory,
  append,
  birth,
  delta,
  failure,
  finishSeam,
  joined,
  message,
  opened,
  resources,
  running,
  startSeam,
  story,
  text,
  user,
} from '../fixtures/stories.fixture.ts';

const ready = () => story(...opened);
const aborted = () => ready().tell(message(1, [text('I could', 0)], { stop: 'aborted' }));

describe('signals', () => {
  it('an append is followed by its seam (RCD-62)', () => {
    expect(ready().refusal(append())).toBe('signal');
    expect(ready().refusal(append(), finishSeam(1))).toBeUndefined();
  });

  it('narration is followed by what it narrated (RCD-62)', () => {
    expect(ready().refusal(append('instructions'))).toBe('signal');
    expect(ready().refusal(append('instructions'), append('resources'), resources({}))).toBeUndefined();
  });

  it('an interruption and its continuation stand together, after an aborted message (RCD-62)', () => {
    const pair = [append('stream_interrupted'), append('stream_continued')];
    expect(aborted().refusal(append('stream_interrupted'))).toBe('signal');
    expect(aborted().refusal(append('stream_continued'))).toBe('signal');
    expect(ready().refusal(...pair)).toBe('signal');
    expect(
      ready()
        .tell(message(1, [text('Hi', 0)]))
        .refusal(...pair),
    ).toBe('signal');
    expect(aborted().refusal(...pair)).toBeUndefined();
  });

  it('an advisory precedes its settlement (RCD-62)', () => {
    expect(ready().refusal(advisory())).toBe('signal');
    expect(ready().refusal(advisory(), failure())).toBeUndefined();
  });

  it('the types compaction and memory are in none (RCD-36)', () => {
    expect(ready().refusal(append('compaction'), finishSeam(1))).toBe('signal');
    expect(ready().refusal(append('memory'), finishSeam(1))).toBe('signal');
  });

  it('a start seam appends before the first turn (START-04)', () => {
    expect(story([birth, user()]).refusal(running(), append(), startSeam())).toBeUndefined();
  });
});

describe('seams', () => {
  it('a start seam closes once per placed delivery (RCD-63)', () => {
    expect(ready().refusal(startSeam())).toBe('seam');
    const waiting = ready().tell(user('sub_B'));
    expect(waiting.refusal(startSeam('sub_B'))).toBe('seam');
    expect(waiting.refusal(joined('sub_B'), startSeam('sub_B'))).toBeUndefined();
  });

  it('a finish cycle appended something and counts on by one (RCD-63)', () => {
    expect(ready().refusal(finishSeam(1))).toBe('seam');
    expect(ready().refusal(append(), finishSeam(2))).toBe('seam');
    expect(ready().tell(append(), finishSeam(1)).refusal(append(), finishSeam(1))).toBe('seam');
    expect(ready().tell(append(), finishSeam(1)).refusal(append(), finishSeam(2))).toBeUndefined();
    expect(ready().refusal(append(), finishSeam(1), finishSeam(2))).toBe('seam');
  });

  it('a seam closes between turns (RCD-61)', () => {
    const joining = ready().tell(user('sub_B')).tell(joined('sub_B'));
    expect(joining.refusal(startSeam('sub_B'))).toBeUndefined();
    expect(
      ready()
        .tell(delta(0, 0, 'Hi'))
        .refusal(append(), finishSeam(1)),
    ).toBe('message_open');
  });
});
