import { describe, expect, it } from 'vitest';
import {
  append,
  call,
  compaction,
  failed,
  joined,
  message,
  opened,
  resources,
  result,
  running,
  type Story,
  settled,
  startSeam,
  story,
  text,
  user,
} from '../../conversation/fold/fixtures/stories.fixture.ts';
import { ROOT } from '../../conversation/fold/state.ts';
import { findCut } from './cut.ts';

/** 100 tokens by the estimate of 3.5 characters each. */
const long = 'x'.repeat(350);

const said = (turn: number, part = turn - 1) => message(turn, [text(long, part)]);
const answered = () =>
  story(...opened)
    .tell(said(1))
    .tell(settled());
const next = (told: Story, id: string) =>
  told.tell(user(id, { body: long })).tell(running(id), startSeam(id));
const mine = (id: string, record: object) => ({ ...record, submissionId: id }) as ReturnType<typeof said>;
const cutOf = (told: Story, keep: number) => findCut(told.state.windows.get(ROOT)!.entries, keep);
const kinds = (told: Story) => told.state.windows.get(ROOT)!.entries.map(({ kind }) => kind);

describe('a cut', () => {
  it('stands before the first message of about so many tokens (CMP-06)', () => {
    const told = next(answered(), 'sub_B');
    expect(kinds(told)).toEqual(['user', 'assistant', 'user']);
    expect(cutOf(told, 100)).toEqual({ at: 2, turn: 2 });
    expect(cutOf(told, 150)).toEqual({ at: 1, turn: 0 });
  });

  it('is not there when all of it is less than what is kept (CMP-06)', () => {
    expect(cutOf(next(answered(), 'sub_B'), 10_000)).toBeUndefined();
    expect(cutOf(story(...opened), 0)).toBeUndefined();
  });

  it('keeps nothing of a conversation that waits for nobody, when nothing is to be kept (MODEL-07)', () => {
    expect(cutOf(answered(), 0)).toEqual({ at: 2, turn: 2 });
  });

  it('never leaves out what the next call answers: a message, or calls with their results (CMP-06, MODEL-07)', () => {
    const asked = next(answered(), 'sub_B');
    expect(cutOf(asked, 0)).toEqual({ at: 2, turn: 2 });
    asked.tell(mine('sub_B', message(1, [call('c1', 0), call('c2', 1)])));
    asked.tell(mine('sub_B', result('c1')), mine('sub_B', failed('c2')));
    expect(kinds(asked)).toEqual(['user', 'assistant', 'user', 'assistant', 'result', 'result']);
    expect(cutOf(asked, 0)).toEqual({ at: 3, turn: 2 });
  });

  it('keeps a message that joined with the results before it, since one call answers both (CMP-06)', () => {
    const told = story(...opened)
      .tell(message(1, [call('c1', 0)]))
      .tell(result('c1'))
      .tell(user('sub_B'))
      .tell(joined('sub_B'), startSeam('sub_B'));
    expect(cutOf(told, 0)).toEqual({ at: 1, turn: 0 });
  });

  it('goes to the next message when the tokens are reached within results (CMP-06)', () => {
    const told = story(...opened)
      .tell(message(1, [call('c1', 0)]))
      .tell(result('c1', { output: long }))
      .tell(message(2, [text('So.', 1), call('c2', 2)]))
      .tell(result('c2', { turn: 2 }));
    expect(cutOf(told, 20)).toEqual({ at: 3, turn: 0 });
  });

  it('takes the rest of a turn whose beginning an earlier compaction took for history (CMP-06)', () => {
    const told = story(...opened)
      .tell(message(1, [call('c1', 0)]))
      .tell(result('c1'))
      .tell(compaction('res_sub_A.1'), resources())
      .tell(message(2, [call('c2', 1)]))
      .tell(result('c2', { turn: 2 }));
    expect(kinds(told)).toEqual(['assistant', 'result', 'assistant', 'result']);
    expect(cutOf(told, 0)).toEqual({ at: 2, turn: 2 });
  });

  it('passes over turns that failed and over the words of the framework (CMP-06)', () => {
    const told = next(answered(), 'sub_B');
    told.tell(mine('sub_B', append('resources')), mine('sub_B', resources({})));
    const fault = { class: 'transient', message: 'no' };
    told.tell(mine('sub_B', message(1, [], { stop: 'error', fault })));
    expect(kinds(told)).toEqual(['user', 'assistant', 'user', 'signal', 'assistant']);
    expect(cutOf(told, 1)).toEqual({ at: 2, turn: 2 });
  });
});
