import { describe, expect, it } from 'vitest';
import { converge } from './converge.ts';
import {
  advisory,
  call,
  child,
  delta,
  failure,
  joined,
  MODEL,
  message,
  opened,
  prompt,
  result,
  startSeam,
  story,
  text,
  usage,
  user,
} from './fixtures/stories.fixture.ts';
import { settleRecords } from './settle.ts';

const ready = () => story(...opened);
const kindOf = () => 'direct' as const;

describe('converge', () => {
  it('closes the message in progress as aborted, with all that was shown of it (REC-05)', () => {
    const cut = ready()
      .tell(delta(0, 0, 'hm', { kind: 'thinking' }))
      .tell(delta(1, 0, 'Let me '), delta(1, 7, 'lo'))
      .takeOver();
    const records = converge(cut.state);
    expect(records).toEqual([
      {
        type: 'assistant_message',
        submissionId: 'sub_A',
        turn: 1,
        model: MODEL,
        content: [
          { type: 'thinking', text: 'hm', part: 0 },
          { type: 'text', text: 'Let me lo', part: 1 },
        ],
        stop: 'aborted',
      },
    ]);
    expect(cut.refusal(...records)).toBeUndefined();
    expect(cut.state.tail.reclaimable).toEqual([3, 4]);
  });

  it('writes nothing the second time, or when nothing is open (REC-06)', () => {
    expect(converge(ready().state)).toEqual([]);
    const cut = ready()
      .tell(delta(0, 0, 'Hi'))
      .takeOver();
    cut.tell(...converge(cut.state));
    expect(converge(cut.state)).toEqual([]);
  });

  it('leaves ordinary calls and tasks to repair, and interrupts what hangs below a harness (HARN-11, TBR-01)', () => {
    const deep = ready()
      .tell(message(1, [call('c1', 0), call('c2', 1)]))
      .tell(child(1, { call: 'c1', kind: 'harness' }), prompt(1))
      .tell(message(1, [call('h1', 0, 'task'), call('h2', 1)], { conv: 1 }))
      .tell(child(2, { call: 'h1', parent: 1 }), prompt(2))
      .tell(message(1, [call('t1', 0)], { conv: 2 }))
      .tell(child(3, { call: 'c2' }), prompt(3))
      .tell(message(1, [call('o1', 0)], { conv: 3 }))
      .takeOver();
    const records = converge(deep.state);
    expect(records.map((record) => record.type === 'call_settled' && [record.conv, record.call])).toEqual([
      [2, 't1'],
      [1, 'h1'],
      [1, 'h2'],
    ]);
    expect(deep.refusal(...records)).toBeUndefined();
    expect([...deep.state.toolBatches.keys()]).toEqual([0, 3]);
    expect(converge(deep.state)).toEqual([]);
  });
});

describe('settle', () => {
  const calling = () =>
    ready()
      .tell(message(1, [call('c1', 0, 'task'), call('c2', 1), call('c3', 2)]))
      .tell(child(1), prompt(1))
      .tell(message(1, [call('d1', 0, 'look')], { conv: 1 }))
      .tell(result('c3'))
      .takeOver();

  it('closes every open call, the deepest first, and tells of the children of tasks (TBR-04, TSK-06, CLS-08)', () => {
    const cut = calling();
    const end = settleRecords(cut.state, {
      submissionId: 'sub_A',
      outcome: 'aborted',
      error: { message: 'It was aborted.', type: 'submission_aborted' },
      reason: 'aborted',
      kindOf,
    });
    expect(end.map((record) => record.type)).toEqual([
      'call_settled',
      'call_settled',
      'call_settled',
      'signal',
      'submission_settled',
    ]);
    expect(end.flatMap((record) => (record.type === 'call_settled' ? [record.call] : []))).toEqual([
      'd1',
      'c1',
      'c2',
    ]);
    const [, task] = end;
    const text =
      task?.type === 'call_settled' && task.content?.[0]?.type === 'text' ? task.content[0].text : '';
    expect(JSON.parse(text)).toMatchObject({ type: 'interrupted', childConversationId: 'conv_U.1' });
    expect(cut.refusal(...end)).toBeUndefined();
    expect(cut.state).toMatchObject({ response: undefined, toolBatches: new Map() });
  });

  it('tells why, how it came in and what was interrupted (REC-17, SET-07)', () => {
    const end = settleRecords(calling().state, {
      submissionId: 'sub_A',
      outcome: 'failed',
      error: { message: 'Too many attempts.' },
      reason: 'exhausted_retry_budget',
      kindOf,
    });
    expect(end.find((record) => record.type === 'signal')).toEqual({
      type: 'signal',
      submissionId: 'sub_A',
      signalType: 'submission_interrupted',
      body: 'Too many attempts.',
      attributes: {
        submissionId: 'sub_A',
        kind: 'direct',
        reason: 'exhausted_retry_budget',
        interruptedTools: 'task, look, look',
      },
    });
  });

  it("settles what joined with its host, alike, with the response's usage (JOI-06, HND-20)", () => {
    const shared = ready()
      .tell(user('sub_B'))
      .tell(joined('sub_B'), startSeam('sub_B'))
      .tell(message(1, [text('Hi', 0)], { usage: usage(7) }));
    const end = settleRecords(shared.state, {
      submissionId: 'sub_A',
      outcome: 'completed',
      writes: [{ name: 'seen', value: 1 }],
      metadata: { done: true },
      kindOf,
    });
    expect(end).toMatchObject([
      { type: 'state_written', name: 'seen' },
      { type: 'metadata_merged', metadata: { done: true } },
      { type: 'submission_settled', submissionId: 'sub_A', usage: { totalTokens: 7 } },
      {
        type: 'submission_settled',
        submissionId: 'sub_B',
        answeredBySubmissionId: 'sub_A',
        usage: { totalTokens: 7 },
      },
    ]);
    expect(shared.refusal(...end)).toBeUndefined();
    expect(shared.state.queue).toEqual({ pending: [], settled: 2 });
  });

  it('settles a queued one alone, without touching the live response (ABT-06)', () => {
    const busy = ready()
      .tell(message(1, [call('c1', 0)]))
      .tell(user('sub_B'));
    const end = settleRecords(busy.state, {
      submissionId: 'sub_B',
      outcome: 'aborted',
      error: { message: 'It was aborted.' },
      kindOf,
    });
    expect(end.map((record) => record.type)).toEqual(['signal', 'submission_settled']);
    expect(busy.refusal(...end)).toBeUndefined();
    expect(busy.state.response?.host).toBe('sub_A');
    expect(busy.state.toolBatches.size).toBe(1);
  });

  it('writes nothing for a submission that is settled (RCD-04)', () => {
    const done = ready().tell(advisory(), failure());
    expect(settleRecords(done.state, { submissionId: 'sub_A', outcome: 'completed', kindOf })).toEqual([]);
    expect(done.state.values.size).toBe(0);
  });
});
