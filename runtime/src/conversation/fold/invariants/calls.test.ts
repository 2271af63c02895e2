import { describe, expect, it } from 'vitest';
import {
  call,
  child,
  message,
  opened,
  prompt,
  result,
  step,
  story,
  text,
  write,
} from '../fixtures/stories.fixture.ts';

const calling = () => story(...opened).tell(message(1, [call('c1', 0), call('c2', 1)]));

describe('outcomes and steps', () => {
  it('name an open call of their turn, once (RCD-60)', () => {
    expect(calling().refusal(result('c3'))).toBe('call');
    expect(calling().refusal(result('c1', { turn: 2 }))).toBe('call');
    expect(calling().refusal(result('c1'), result('c1'))).toBe('call');
    expect(calling().refusal(result('c2'), result('c1'))).toBeUndefined();
  });

  it('a step is recorded once per call and name (RCD-60, DTL-04)', () => {
    expect(calling().refusal(step('c1', 'a'), step('c1', 'a'))).toBe('call');
    expect(calling().refusal(step('c1', 'a'), step('c2', 'a'), step('c1', 'b'))).toBeUndefined();
    expect(calling().tell(result('c1')).refusal(step('c1', 'a'))).toBe('call');
  });

  it("belong to their own conversation's calls (RCD-60)", () => {
    const parent = calling().tell(child(1), prompt(1));
    expect(parent.refusal(result('c1', { conv: 1 }))).toBe('call');
  });
});

describe('call ids', () => {
  it('are new among those that the fold holds (RCD-16, RCD-60)', () => {
    expect(story(...opened).refusal(message(1, [call('c1', 0), call('c1', 1)]))).toBe('call');
    const done = calling().tell(result('c1'), result('c2'));
    expect(done.refusal(message(2, [call('c1', 2)]))).toBe('call');
    expect(done.refusal(message(2, [call('c1_2', 2)]))).toBeUndefined();
    const parent = calling().tell(child(1), prompt(1));
    expect(parent.refusal(message(1, [call('c2', 0)], { conv: 1 }))).toBe('call');
  });

  it('are free again when the child that used them is closed (RCD-16)', () => {
    const parent = calling()
      .tell(child(1), prompt(1))
      .tell(message(1, [call('c7', 0)], { conv: 1 }))
      .tell(result('c7', { conv: 1 }))
      .tell(message(2, [text('done', 0)], { conv: 1 }))
      .tell(result('c1'), result('c2'));
    expect(parent.refusal(message(2, [call('c7', 2)]))).toBeUndefined();
  });
});

describe('bound writes', () => {
  const bound = (more = {}) => write('a', 1, { call: 'c1', n: 1, ...more });

  it('are followed by the outcome or step that they belong to (RCD-60)', () => {
    expect(calling().refusal(bound())).toBe('call');
    expect(calling().refusal(bound(), result('c2'))).toBe('call');
    expect(calling().refusal(bound(), result('c1'))).toBeUndefined();
    expect(calling().refusal(bound({ step: 's' }), result('c1'))).toBe('call');
    expect(calling().refusal(bound({ step: 's' }), step('c1', 's'))).toBeUndefined();
  });

  it('name an open call of the root (RCD-60)', () => {
    expect(calling().tell(result('c1')).refusal(bound(), result('c2'))).toBe('call');
  });

  it('hold when their batch commits, in order of writing, but not if interrupted (RCD-28)', () => {
    const told = calling().tell(write('a', 'late', { call: 'c2', n: 2 }), result('c2'));
    expect(told.state.values.has('a')).toBe(false);
    told.tell(write('a', 'early', { call: 'c1', n: 1 }), write('b', 1, { call: 'c1', n: 3 }), result('c1'));
    expect(Object.fromEntries(told.state.values)).toEqual({ a: 'late', b: 1 });
    const cut = calling()
      .tell(write('a', 1, { call: 'c1', n: 1, step: 's' }), step('c1', 's'))
      .tell(result('c1', { status: 'error', interrupted: true }), result('c2'));
    expect(cut.state.values.has('a')).toBe(false);
  });
});
