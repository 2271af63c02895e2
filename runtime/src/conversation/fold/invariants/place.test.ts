import { describe, expect, it } from 'vitest';
import {
  append,
  birth,
  call,
  child,
  event,
  message,
  opened,
  prompt,
  request,
  result,
  running,
  story,
  user,
} from '../fixtures/stories.fixture.ts';

const calling = () => story(...opened).tell(message(1, [call('c1', 0), call('c2', 1)]));

describe('birth', () => {
  it('the stream begins with the birth of the root, once (RCD-51)', () => {
    expect(story().refusal(user())).toBe('birth');
    expect(story().refusal(user(), birth)).toBe('birth');
    expect(story([birth]).refusal(birth)).toBe('birth');
    expect(story().refusal(birth, user())).toBeUndefined();
  });
});

describe('conversations', () => {
  it('a record belongs to an open conversation (RCD-52)', () => {
    expect(calling().refusal(prompt(1))).toBe('conversation');
    expect(calling().refusal(child(1), prompt(1))).toBeUndefined();
    expect(calling().tell(child(1), prompt(1)).tell(result('c1')).refusal(prompt(1))).toBe('conversation');
  });

  it('children open in order, each on an open call (RCD-52)', () => {
    expect(calling().refusal(child(2))).toBe('conversation');
    expect(calling().refusal(child(1, { call: 'c9' }))).toBe('conversation');
    expect(calling().refusal(child(1, { call: 'c1', parent: 7 }))).toBe('conversation');
    expect(calling().tell(result('c1')).refusal(child(1))).toBe('conversation');
    expect(
      calling()
        .tell(result('c1'))
        .refusal(child(1, { call: 'c2' })),
    ).toBeUndefined();
    const ended = calling().tell(child(1)).tell(result('c1'));
    expect(ended.refusal(child(1, { call: 'c2' }))).toBe('conversation');
    expect(ended.refusal(child(2, { call: 'c2' }))).toBeUndefined();
  });

  it('a prompt belongs to a child (RCD-21, RCD-52)', () => {
    expect(story(...opened).refusal(user('sub_A', { acceptedAt: undefined }))).toBe('conversation');
  });
});

describe('deliveries', () => {
  it('an unsettled submission is not accepted again (RCD-53)', () => {
    expect(story([birth, user()]).refusal(user())).toBe('delivery');
    expect(story([birth, user()]).refusal(request('sub_A'))).toBe('delivery');
    expect(story([birth, user()]).refusal(event('sub_B'))).toBeUndefined();
  });

  it("a delivered signal has none of the framework's types (RCD-53, NARR-30)", () => {
    expect(story([birth]).refusal(event('sub_A', { signalType: 'resources' }))).toBe('delivery');
  });

  it('it is accepted by the root (RCD-53)', () => {
    expect(
      calling()
        .tell(child(1))
        .refusal(user('sub_B', { conv: 1 })),
    ).toBe('delivery');
  });

  it('it is accepted whatever the owner is in the middle of (RCD-44)', () => {
    expect(calling().refusal(user('sub_B'))).toBeUndefined();
    expect(story([birth, user()], [running()]).refusal(user('sub_B'))).toBeUndefined();
  });
});

it('only some records may belong to a child (RCD-50)', () => {
  expect(story(...opened).refusal(append('note', { conv: 1 }))).toBe('shape');
});
