import { describe, expect, it } from 'vitest';
import {
  birth,
  call,
  child,
  data,
  delta,
  joined,
  message,
  opened,
  prompt,
  request,
  resources,
  result,
  running,
  startSeam,
  story,
  text,
  user,
} from '../fixtures/stories.fixture.ts';

const ready = () => story(...opened);

describe('turns', () => {
  it('count on by one in the response (RCD-56)', () => {
    expect(ready().refusal(message(2, [text('Hi', 0)]))).toBe('turn');
    expect(ready().refusal(delta(0, 0, 'Hi', { turn: 2 }))).toBe('turn');
    expect(ready().refusal(message(1, [text('Hi', 0)]), message(2, [text('Hi', 1)]))).toBeUndefined();
  });

  it('count anew in the next response and within each child (RCD-02, RCD-56)', () => {
    const next = ready()
      .tell(message(1, [text('Hi', 0)]))
      .tell({ type: 'submission_settled', submissionId: 'sub_A', outcome: 'completed' })
      .tell(user('sub_B'))
      .tell(running('sub_B'), startSeam('sub_B'));
    expect(next.refusal(message(1, [text('Hi', 0)], { submissionId: 'sub_B' }))).toBeUndefined();
    const parent = ready()
      .tell(message(1, [text('Hi', 0)]), message(2, [call('c1', 1)]))
      .tell(child(1), prompt(1));
    expect(parent.refusal(message(3, [text('Hi', 0)], { conv: 1 }))).toBe('turn');
    expect(parent.refusal(message(1, [text('Hi', 0)], { conv: 1 }))).toBeUndefined();
  });

  it('follow a complete tool batch, a closed start seam and a baseline (RCD-56)', () => {
    const calling = ready().tell(message(1, [call('c1', 0)]));
    expect(calling.refusal(message(2, [text('Hi', 1)]))).toBe('turn');
    expect(story([birth, user()], [running(), startSeam()]).refusal(message(1, [text('Hi', 0)]))).toBe(
      'turn',
    );
    expect(story([birth, user()], [running(), resources()]).refusal(message(1, [text('Hi', 0)]))).toBe(
      'turn',
    );
    const joining = ready().tell(user('sub_B')).tell(joined('sub_B'));
    expect(joining.refusal(delta(0, 0, 'Hi'))).toBe('turn');
    expect(joining.tell(startSeam('sub_B')).refusal(delta(0, 0, 'Hi'))).toBeUndefined();
  });

  it('are not for a request to compact (RCD-45)', () => {
    const compacting = story([birth, request('cmp_1')], [running('cmp_1')]);
    expect(compacting.refusal(message(1, [text('Hi', 0)], { submissionId: 'cmp_1' }))).toBe('turn');
  });
});

describe('drafts', () => {
  const drafting = () => ready().tell(delta(0, 0, 'Let me '));

  it('are deltas alone, in batches of their own class (RCD-57)', () => {
    expect(ready().refusal(delta(0, 0, 'Hi'), message(1, [text('Hi', 0)]))).toBe('draft');
    expect(ready().refusal(delta(0, 0, 'Hi'), delta(0, 2, '!'))).toBeUndefined();
  });

  it('begin by naming the model (RCD-57)', () => {
    expect(ready().refusal(delta(0, 0, 'Hi', { model: undefined }))).toBe('draft');
    expect(drafting().refusal(delta(0, 7, 'look', { model: undefined }))).toBeUndefined();
  });

  it('go on where the block ends, or open the next part at 0 (RCD-57)', () => {
    expect(drafting().refusal(delta(0, 6, 'look'))).toBe('draft');
    expect(drafting().refusal(delta(0, 7, 'look', { kind: 'thinking' }))).toBe('draft');
    expect(drafting().refusal(delta(2, 0, 'look'))).toBe('draft');
    expect(drafting().refusal(delta(1, 1, 'look'))).toBe('draft');
    expect(drafting().refusal(delta(0, 7, 'look'), delta(1, 0, 'hm', { kind: 'thinking' }))).toBeUndefined();
  });

  it('give way to data parts that are placed while they go on (RCD-15, RCD-57)', () => {
    const second = ready()
      .tell(message(1, [text('Hi', 0)]))
      .tell(delta(1, 0, 'So', { turn: 2 }))
      .tell(data('order', 2));
    expect(second.refusal(delta(2, 0, '!', { turn: 2 }))).toBe('draft');
    expect(second.refusal(delta(1, 2, ',', { turn: 2 }), delta(3, 0, '!', { turn: 2 }))).toBeUndefined();
  });
});

describe('content', () => {
  const drafting = () => ready().tell(delta(0, 0, 'Let me '));

  it('extends what was drafted, in place (RCD-11, RCD-58)', () => {
    expect(drafting().refusal(message(1, [text('Let us look', 0)]))).toBe('content');
    expect(drafting().refusal(message(1, [text('Let me look', 1)]))).toBe('content');
    expect(drafting().refusal(message(1, [{ ...text('Let me look', 0), type: 'thinking' }]))).toBe('content');
    expect(drafting().refusal(message(1, []))).toBe('content');
    expect(drafting().refusal(message(1, [text('Let me look', 0)]))).toBeUndefined();
  });

  it('takes the next free parts for the rest (RCD-58)', () => {
    expect(ready().refusal(message(1, [text('a', 1)]))).toBe('content');
    expect(ready().refusal(message(1, [text('a', 0), call('c1', 0)]))).toBe('content');
    expect(ready().refusal(message(1, [text('a', 0), call('c1', 1)]))).toBeUndefined();
    expect(drafting().refusal(message(1, [text('Let me look', 0), call('c1', 1)]))).toBeUndefined();
  });

  it('gives no part to a block that shows nothing, and one to every other (RCD-15)', () => {
    const sealed = { type: 'thinking', text: '', sig: 's' };
    expect(ready().refusal(message(1, [{ ...sealed, part: 0 }, text('a', 1)]))).toBe('content');
    expect(ready().refusal(message(1, [{ type: 'text', text: 'a' }]))).toBe('content');
    expect(ready().refusal(message(1, [sealed, text('a', 0)]))).toBeUndefined();
  });
});

describe('stop', () => {
  const fault = { class: 'transient', message: 'busy' };

  it('agrees with what the message holds (RCD-59)', () => {
    expect(ready().refusal(message(1, [call('c1', 0)], { stop: 'aborted' }))).toBe('stop');
    expect(ready().refusal(message(1, [call('c1', 0)], { stop: 'error', fault }))).toBe('stop');
    expect(ready().refusal(message(1, [text('a', 0)], { stop: 'toolUse' }))).toBe('stop');
    expect(ready().refusal(message(1, [call('c1', 0)], { stop: 'length' }))).toBeUndefined();
  });

  it('a fault goes with error, and only with it (RCD-59)', () => {
    expect(ready().refusal(message(1, [], { stop: 'error' }))).toBe('stop');
    expect(ready().refusal(message(1, [text('a', 0)], { fault }))).toBe('stop');
    expect(ready().refusal(message(1, [], { stop: 'error', fault }))).toBeUndefined();
  });
});

it('a complete batch lets the next turn come (RCD-56)', () => {
  const done = ready()
    .tell(message(1, [call('c1', 0)]))
    .tell(result('c1'));
  expect(done.refusal(message(2, [text('Hi', 1)]))).toBeUndefined();
});
