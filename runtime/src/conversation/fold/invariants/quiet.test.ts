import { describe, expect, it } from 'vitest';
import {
  advisory,
  append,
  birth,
  call,
  child,
  compaction,
  delta,
  failed,
  failure,
  finishSeam,
  message,
  opened,
  prompt,
  request,
  resources,
  result,
  running,
  settled,
  startSeam,
  story,
  text,
  user,
} from '../fixtures/stories.fixture.ts';

const drafting = () => story(...opened).tell(delta(0, 0, 'Hi'));
const calling = () => story(...opened).tell(message(1, [call('c1', 0)]));
const narration = [append('resources'), resources({})];

describe('while a message or a tool batch is open', () => {
  it('nothing is appended, narrated or compacted (RCD-61)', () => {
    for (const unit of [[append(), finishSeam(1)], narration, [compaction(null), resources()]]) {
      expect(drafting().refusal(...unit)).toBe('message_open');
      expect(calling().refusal(...unit)).toBe('batch_open');
      expect(story(...opened).refusal(...unit)).toBeUndefined();
    }
  });

  it('no seam closes and the host does not settle (RCD-61)', () => {
    expect(drafting().refusal(advisory(), failure())).toBe('message_open');
    expect(calling().refusal(advisory(), failure())).toBe('batch_open');
    const unseamed = story([birth, user()], [running()]);
    expect(unseamed.refusal(startSeam())).toBeUndefined();
  });

  it('a queued submission still settles alone, and its advisory is not for the model (ABT-06, RCD-61)', () => {
    const busy = drafting().tell(user('sub_B'));
    expect(busy.refusal(advisory('sub_B'), failure('sub_B'))).toBeUndefined();
    expect(busy.state.windows.get(0)?.entries).toHaveLength(1);
    expect(busy.state.queue).toMatchObject({ settled: 1, pending: [{ submissionId: 'sub_A' }] });
  });

  it('a request to compact is served only between turns', () => {
    const busy = calling().tell(request('cmp_1'));
    expect(busy.refusal(compaction(null), resources(), settled('cmp_1'))).toBe('batch_open');
    expect(busy.tell(result('c1')).refusal(compaction(null), resources(), settled('cmp_1'))).toBeUndefined();
  });
});

describe('what hangs below', () => {
  const delegated = () =>
    calling()
      .tell(child(1), prompt(1))
      .tell(message(1, [call('d1', 0)], { conv: 1 }));

  it('is quiet before the call above it settles (RCD-61)', () => {
    expect(delegated().refusal(result('c1'))).toBe('batch_open');
    expect(
      delegated()
        .tell(result('d1', { conv: 1 }))
        .refusal(result('c1')),
    ).toBeUndefined();
    const deep = delegated().tell(child(2, { call: 'd1', parent: 1 }), prompt(2));
    deep.tell(message(1, [call('e1', 0)], { conv: 2 }));
    expect(deep.refusal(result('d1', { conv: 1 }))).toBe('batch_open');
    const closing = [
      failed('e1', { conv: 2, interrupted: true }),
      failed('d1', { conv: 1, interrupted: true }),
      failed('c1', { interrupted: true }),
    ];
    expect(deep.refusal(...closing)).toBeUndefined();
    expect(deep.state.conversations).toMatchObject({ opened: 2, children: new Map() });
  });

  it('is quiet before a child gets another prompt (RCD-61)', () => {
    expect(delegated().refusal(prompt(1))).toBe('batch_open');
    expect(
      delegated()
        .tell(result('d1', { conv: 1 }))
        .refusal(prompt(1)),
    ).toBeUndefined();
  });

  it('is quiet before its seam closes, which closes it (RCD-20, RCD-61)', () => {
    const hooked = story([birth, user()], [running()])
      .tell(child(1, { hook: 'useAgentStart', kind: 'harness' }), prompt(1))
      .tell(message(1, [call('d1', 0)], { conv: 1 }));
    expect(hooked.refusal(startSeam())).toBe('batch_open');
    expect(hooked.tell(result('d1', { conv: 1 })).refusal(startSeam())).toBeUndefined();
    expect(hooked.state.conversations.children.size).toBe(0);
    expect([...hooked.state.windows.keys()]).toEqual([0]);
  });
});

it('a settled host leaves nothing open (REC-07)', () => {
  const told = story(...opened)
    .tell(child(1, { hook: 'useAgentFinish', kind: 'harness' }), prompt(1))
    .tell(message(1, [text('Hi', 0)]))
    .tell(settled());
  expect(told.state).toMatchObject({ response: undefined, open: undefined, toolBatches: new Map() });
  expect(told.state.conversations.children.size).toBe(0);
});
