import { describe, expect, it } from 'vitest';
import {
  advisory,
  append,
  birth,
  call,
  failed,
  failure,
  finishSeam,
  joined,
  message,
  opened,
  request,
  result,
  running,
  settled,
  startSeam,
  story,
  text,
  user,
} from '../fixtures/stories.fixture.ts';

const ready = () => story(...opened);
const answered = () => ready().tell(message(1, [text('Hi', 0)]));
const shared = () =>
  ready()
    .tell(user('sub_B'))
    .tell(joined('sub_B'), startSeam('sub_B'))
    .tell(message(1, [text('Hi', 0)]));
const settledB = (more = {}) => settled('sub_B', { answeredBySubmissionId: 'sub_A', ...more });

describe('settlement', () => {
  it('is of an unsettled submission, once (SUB-02, RCD-67)', () => {
    expect(ready().refusal(settled('sub_X'))).toBe('settlement');
    expect(answered().tell(settled()).refusal(settled())).toBe('settlement');
    expect(answered().refusal(settled())).toBeUndefined();
  });

  it('has an error and one advisory exactly when it is not completed (RCD-67, HIST-06)', () => {
    expect(answered().refusal(settled('sub_A', { error: { message: 'x' } }))).toBe('settlement');
    expect(ready().refusal(settled('sub_A', { outcome: 'failed' }))).toBe('settlement');
    expect(ready().refusal(failure())).toBe('settlement');
    expect(ready().refusal(advisory(), advisory(), failure())).toBe('settlement');
    expect(answered().refusal(advisory(), settled())).toBe('settlement');
    expect(ready().refusal(advisory(), failure())).toBeUndefined();
    expect(ready().refusal(advisory('sub_A', 'submission_aborted'), failure())).toBeUndefined();
  });

  it('of a request to compact has no advisory (RCD-45, RCD-67)', () => {
    const asked = () => story([birth, request('cmp_1')]);
    expect(asked().refusal(settled('cmp_1'))).toBeUndefined();
    expect(asked().refusal(failure('cmp_1'))).toBeUndefined();
    expect(asked().refusal(advisory('cmp_1'), failure('cmp_1'))).toBe('settlement');
  });

  it('of a host takes all that joined it along, alike (JOI-06, RCD-67)', () => {
    expect(shared().refusal(settled())).toBe('settlement');
    expect(shared().refusal(settledB(), settled())).toBe('settlement');
    expect(shared().refusal(settled(), settled('sub_B'))).toBe('settlement');
    expect(shared().refusal(settled('sub_A', { answeredBySubmissionId: 'sub_B' }), settledB())).toBe(
      'settlement',
    );
    expect(shared().refusal(settledB())).toBe('settlement');
    const other = { outcome: 'failed', error: { message: 'x' } };
    expect(shared().refusal(advisory('sub_B'), settled(), settledB(other))).toBe('settlement');
    expect(shared().refusal(settled(), settledB())).toBeUndefined();
  });
});

describe('completed', () => {
  it('only after a message without calls that neither failed nor was aborted (SUB-07, RCD-67)', () => {
    expect(story([birth, user()]).refusal(settled())).toBe('settlement');
    expect(ready().refusal(settled())).toBe('settlement');
    expect(
      ready()
        .tell(message(1, [text('Hi', 0)], { stop: 'aborted' }))
        .refusal(settled()),
    ).toBe('settlement');
    const fault = { class: 'terminal', message: 'no' };
    expect(
      ready()
        .tell(message(1, [], { stop: 'error', fault }))
        .refusal(settled()),
    ).toBe('settlement');
    expect(
      ready()
        .tell(message(1, [text('Hi', 0)], { stop: 'length' }))
        .refusal(settled()),
    ).toBeUndefined();
  });

  it('or after a batch whose calls all terminate (TURN-10, RCD-67)', () => {
    const calling = () => ready().tell(message(1, [call('c1', 0), call('c2', 1)]));
    const ends = { terminate: true };
    expect(calling().tell(result('c1', ends), result('c2')).refusal(settled())).toBe('settlement');
    expect(calling().tell(result('c1', ends), failed('c2')).refusal(settled())).toBe('settlement');
    expect(calling().tell(result('c1', ends), result('c2', ends)).refusal(settled())).toBeUndefined();
  });

  it('and nothing was placed since (RCD-67)', () => {
    expect(answered().tell(append(), finishSeam(1)).refusal(settled())).toBe('settlement');
    const late = answered().tell(user('sub_B')).tell(joined('sub_B'), startSeam('sub_B'));
    expect(late.refusal(settled(), settledB())).toBe('settlement');
    expect(
      late.refusal(
        advisory(),
        advisory('sub_B'),
        failure(),
        failure('sub_B', { answeredBySubmissionId: 'sub_A' }),
      ),
    ).toBeUndefined();
  });
});

it('the next delivery runs after any settlement (REC-07, RCD-69)', () => {
  const next = ready().tell(user('sub_B')).tell(advisory(), failure());
  expect(next.refusal(running('sub_B'), startSeam('sub_B'))).toBeUndefined();
  expect(next.refusal(message(1, [text('Hi', 0)], { submissionId: 'sub_B' }))).toBeUndefined();
});
