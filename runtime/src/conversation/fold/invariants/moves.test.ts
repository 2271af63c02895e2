import { describe, expect, it } from 'vitest';
import {
  birth,
  call,
  delta,
  joined,
  message,
  opened,
  queued,
  request,
  result,
  running,
  startSeam,
  story,
  user,
} from '../fixtures/stories.fixture.ts';

const waiting = () => story([birth, user()], [user('sub_B')], [user('sub_C')]);
const live = () => waiting().tell(running());

describe('running', () => {
  it('is the oldest unsettled submission that has not joined (RCD-54)', () => {
    expect(waiting().refusal(running('sub_B'))).toBe('move');
    expect(waiting().refusal(running('sub_X'))).toBe('move');
    expect(waiting().refusal(running())).toBeUndefined();
  });

  it('is announced once by each epoch (RCD-54)', () => {
    expect(live().refusal(running())).toBe('move');
    expect(
      live()
        .takeOver()
        .refusal(running('sub_A', { attempt: 2 })),
    ).toBeUndefined();
  });

  it('comes after converge closed the message (RCD-54)', () => {
    const cut = story(...opened)
      .tell(delta(0, 0, 'Hi'))
      .takeOver();
    expect(cut.refusal(running())).toBe('move');
    const closed = message(1, [{ type: 'text', text: 'Hi', part: 0 }], { stop: 'aborted' });
    expect(cut.refusal(closed, running())).toBeUndefined();
  });

  it('may be a request to compact (RCD-45)', () => {
    expect(story([birth, user()], [request('cmp_1')]).refusal(running('cmp_1'))).toBe('move');
    expect(story([birth, request('cmp_1')]).refusal(running('cmp_1'))).toBeUndefined();
  });
});

describe('joined', () => {
  it('is the oldest queued delivery, with the live host named (RCD-54)', () => {
    expect(live().refusal(joined('sub_C'))).toBe('move');
    expect(live().refusal(joined('sub_B', 'sub_C'))).toBe('move');
    expect(waiting().refusal(joined('sub_B'))).toBe('move');
    expect(live().takeOver().refusal(joined('sub_B'))).toBe('move');
    expect(live().refusal(joined('sub_B'), joined('sub_C'))).toBeUndefined();
  });

  it('passes requests to compact, which join nothing (RCD-45, RCD-54)', () => {
    const story1 = story([birth, user()], [request('cmp_1')], [user('sub_B')], [running()]);
    expect(story1.refusal(joined('cmp_1'))).toBe('move');
    expect(story1.refusal(joined('sub_B'))).toBeUndefined();
    const compacting = story([birth, request('cmp_1')], [user('sub_B')], [running('cmp_1')]);
    expect(compacting.refusal(joined('sub_B', 'cmp_1'))).toBe('move');
  });

  it('waits for the turn to end (RCD-54)', () => {
    const drafting = story(...opened)
      .tell(user('sub_B'))
      .tell(delta(0, 0, 'Hi'));
    expect(drafting.refusal(joined('sub_B'))).toBe('move');
    const calling = story(...opened)
      .tell(user('sub_B'))
      .tell(message(1, [call('c1', 0)]));
    expect(calling.refusal(joined('sub_B'))).toBe('move');
    expect(calling.tell(result('c1')).refusal(joined('sub_B'), startSeam('sub_B'))).toBeUndefined();
  });
});

describe('queued', () => {
  it('was running, and its turn is over (RCD-54)', () => {
    expect(waiting().refusal(queued())).toBe('move');
    expect(
      story(...opened)
        .tell(delta(0, 0, 'Hi'))
        .refusal(queued()),
    ).toBe('move');
    expect(live().refusal(queued())).toBeUndefined();
  });

  it('keeps its place, its response and what had joined it (QUE-04)', () => {
    const released = live().tell(joined('sub_B')).tell(queued());
    expect(released.state.queue.pending.map(({ state, host }) => [state, host])).toEqual([
      ['queued', undefined],
      ['joined', 'sub_A'],
      ['queued', undefined],
    ]);
    expect(released.state.response?.host).toBe('sub_A');
    expect(released.takeOver().refusal(running('sub_A', { attempt: 2 }))).toBeUndefined();
  });
});
