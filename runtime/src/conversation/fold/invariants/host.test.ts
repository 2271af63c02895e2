import { expect, it } from 'vitest';
import {
  advisory,
  append,
  birth,
  call,
  failed,
  failure,
  joined,
  message,
  metadata,
  opened,
  resources,
  result,
  running,
  startSeam,
  story,
  text,
  user,
  write,
} from '../fixtures/stories.fixture.ts';

it('a record of a response needs a live host (RCD-55)', () => {
  expect(story([birth, user()]).refusal(metadata({ a: 1 }))).toBe('host');
  expect(story([birth, user()], [running()]).refusal(metadata({ a: 1 }))).toBeUndefined();
});

it("it carries the host's id (RCD-55)", () => {
  const other = story(...opened).tell(user('sub_B'));
  expect(other.refusal(message(1, [text('Hi', 0)], { submissionId: 'sub_B' }))).toBe('host');
});

it("a start seam and what it appended carry the delivery's own id (RCD-55)", () => {
  const live = () => story(...opened).tell(user('sub_B'));
  const own = { submissionId: 'sub_B' };
  expect(
    live().refusal(joined('sub_B'), append('note', own), write('a', 1, own), startSeam('sub_B')),
  ).toBeUndefined();
  expect(live().refusal(joined('sub_B'), append('note'), startSeam('sub_B'))).toBe('host');
  expect(live().refusal(joined('sub_B'), write('a', 1, { submissionId: 'sub_C' }), startSeam('sub_B'))).toBe(
    'host',
  );
});

it('an owner announces the response before it writes for it (RCD-55)', () => {
  const taken = () => story(...opened).takeOver();
  expect(taken().refusal(message(1, [text('Hi', 0)]))).toBe('host');
  expect(taken().refusal(metadata({ a: 1 }))).toBe('host');
  expect(taken().refusal(running(), message(1, [text('Hi', 0)]))).toBeUndefined();
  expect(taken().refusal(write('a', 1))).toBe('host');
});

it('what converge and settle write needs no announcement (RCD-43, RCD-55)', () => {
  const calling = () =>
    story(...opened)
      .tell(message(1, [call('c1', 0)]))
      .takeOver();
  expect(calling().refusal(result('c1'))).toBe('host');
  expect(calling().refusal(failed('c1', { interrupted: true }))).toBeUndefined();
  const end = [write('a', 1), metadata({ b: 1 }), advisory(), failure()];
  expect(calling().refusal(failed('c1', { interrupted: true }), ...end)).toBeUndefined();
});

it("a released response is nobody else's to write for (RCD-55)", () => {
  const released = story(...opened).tell({ type: 'submission_moved', submissionId: 'sub_A', to: 'queued' });
  expect(released.refusal(resources({}))).toBe('host');
});
