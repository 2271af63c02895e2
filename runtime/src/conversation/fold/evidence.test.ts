import { describe, expect, it } from 'vitest';
import { responseEvidence } from './evidence.ts';
import {
  append,
  birth,
  call,
  compaction,
  delta,
  failed,
  finishSeam,
  message,
  opened,
  queued,
  request,
  resources,
  result,
  running,
  type Story,
  settled,
  startSeam,
  story,
  text,
  user,
} from './fixtures/stories.fixture.ts';

const ready = () => story(...opened);
const kindOf = (told: Story) => responseEvidence(told.state).kind;
const fault = (name: string) => ({ stop: 'error', fault: { class: name, message: 'x' } });

describe('what follows the input (REC-08)', () => {
  it('input accepted but not placed: a fresh run', () => {
    expect(kindOf(story([birth, user()]))).toBe('unplaced');
    expect(
      kindOf(
        ready()
          .tell(message(1, [text('Hi', 0)]), settled())
          .tell(user('sub_B')),
      ),
    ).toBe('unplaced');
  });

  it('placed, and no model call yet, or a released one: the turn is due', () => {
    expect(kindOf(story([birth, user()], [running(), startSeam()]))).toBe('turn_due');
    expect(kindOf(ready().tell(queued()))).toBe('turn_due');
  });

  it('stop or length without a call: the would-stop point', () => {
    expect(kindOf(ready().tell(message(1, [text('Hi', 0)])))).toBe('stopped');
    expect(kindOf(ready().tell(message(1, [text('Hi', 0)], { stop: 'length' })))).toBe('stopped');
    expect(
      kindOf(
        ready()
          .tell(message(1, [text('Hi', 0)]))
          .tell(append(), finishSeam(1)),
      ),
    ).toBe('turn_due');
  });

  it('a response that compacted after completing is complete (#600)', () => {
    const told = ready()
      .tell(message(1, [text('Hi', 0)]))
      .tell(compaction(null), resources());
    expect(kindOf(told)).toBe('stopped');
  });

  it('a complete tool batch: ended if every result terminates, else the next call', () => {
    const calling = () => ready().tell(message(1, [call('c1', 0), call('c2', 1)]));
    expect(kindOf(calling().tell(result('c1')))).toBe('calls_open');
    expect(kindOf(calling().tell(result('c1', { terminate: true }), result('c2')))).toBe('turn_due');
    expect(kindOf(calling().tell(result('c1', { terminate: true }), result('c2', { terminate: true })))).toBe(
      'terminated',
    );
  });

  it('a cut message: continued from what was shown, replayed if that is nothing', () => {
    expect(kindOf(ready().tell(delta(0, 0, 'Hi')))).toBe('message_open');
    const cut = () => ready().tell(message(1, [text('I could', 0)], { stop: 'aborted' }));
    expect(kindOf(cut())).toBe('partial');
    expect(kindOf(cut().tell(append('stream_interrupted'), append('stream_continued')))).toBe('turn_due');
    expect(kindOf(ready().tell(message(1, [], { stop: 'aborted' })))).toBe('turn_due');
  });

  it('a failed call: its class and how often in a row, whatever restarts lie between (RETRY-02, OVER-03)', () => {
    const once = ready().tell(message(1, [], fault('transient')));
    expect(responseEvidence(once.state)).toEqual({ kind: 'failed', fault: 'transient', inARow: 1 });
    once.takeOver().tell(running('sub_A', { attempt: 2 }), message(2, [], fault('transient')));
    expect(responseEvidence(once.state)).toEqual({ kind: 'failed', fault: 'transient', inARow: 2 });
    once
      .tell(message(3, [text('Hi', 0)]))
      .tell(append(), finishSeam(1))
      .tell(message(4, [], fault('terminal')));
    expect(responseEvidence(once.state)).toEqual({ kind: 'failed', fault: 'terminal', inARow: 1 });
  });

  it('an overflow: compacted once, the turn is run again; twice in a row it counts two (OVER-03)', () => {
    const told = ready().tell(message(1, [], fault('overflow')));
    expect(responseEvidence(told.state)).toEqual({ kind: 'failed', fault: 'overflow', inARow: 1 });
    told.tell(compaction('msg_sub_A', { reason: 'overflow' }), resources());
    expect(kindOf(told)).toBe('turn_due');
    told.tell(message(2, [], fault('overflow')));
    expect(responseEvidence(told.state)).toEqual({ kind: 'failed', fault: 'overflow', inARow: 2 });
  });

  it('a delivery or an append starts the count of failures anew, narration does not (RETRY-02)', () => {
    const failing = () => ready().tell(message(1, [], fault('transient')));
    const again = (told: Story) => responseEvidence(told.tell(message(2, [], fault('transient'))).state);
    expect(again(failing().tell(append(), finishSeam(1)))).toMatchObject({ inARow: 1 });
    expect(again(failing().tell(append('resources'), resources({})))).toMatchObject({ inARow: 2 });
  });

  it('nothing to do, or a request to compact (RCD-45)', () => {
    expect(kindOf(story([birth]))).toBe('idle');
    expect(kindOf(story([birth, request('cmp_1')]))).toBe('compaction_requested');
  });
});

it('is of the oldest unsettled submission, not of one that waits', () => {
  const told = ready().tell(user('sub_B'));
  expect(kindOf(told.tell(message(1, [call('c1', 0)])).tell(failed('c1')))).toBe('turn_due');
});
