import { describe, expect, it } from 'vitest';
import {
  advisory,
  append,
  birth,
  call,
  child,
  compaction,
  data,
  delta,
  event,
  failed,
  failure,
  finishSeam,
  joined,
  message,
  metadata,
  opened,
  prompt,
  request,
  resources,
  result,
  running,
  startSeam,
  step,
  story,
  text,
  usage,
  user,
  write,
} from './fixtures/stories.fixture.ts';
import {
  compactionRequests,
  contextItems,
  dataPart,
  deliveryRecord,
  failuresInARow,
  initialData,
  isCallIdTaken,
  liveHost,
  nextPart,
  nextTurn,
  openCalls,
  openStartSeams,
  queuedDeliveries,
  recordedSteps,
  responseText,
  responseUsage,
  usedTokens,
} from './queries.ts';
import { ROOT, type ToolBatch } from './state.ts';

const ready = () => story(...opened);
const ids = (list: readonly { submissionId: string }[]) => list.map((pending) => pending.submissionId);

describe('the queue', () => {
  it('tells host, waiting deliveries and requests apart', () => {
    const { state } = ready().tell(user('sub_B')).tell(request('cmp_1')).tell(event('sub_C'));
    expect(liveHost(state)?.submissionId).toBe('sub_A');
    expect(ids(queuedDeliveries(state))).toEqual(['sub_B', 'sub_C']);
    expect(ids(compactionRequests(state))).toEqual(['cmp_1']);
  });

  it('knows whose start seam is still open (START-04)', () => {
    const told = story([birth, user()], [running()]);
    expect(ids(openStartSeams(told.state))).toEqual(['sub_A']);
    expect(openStartSeams(told.tell(startSeam()).state)).toEqual([]);
  });
});

describe('the cursor', () => {
  it('walks deliveries and appends in the order in which the model reads them (DLV-01, DLV-02)', () => {
    const told = story([birth, user('sub_A', { body: 'first' })], [event('sub_B')]);
    expect(deliveryRecord(told.state)).toBeUndefined();
    told.tell(running());
    expect(deliveryRecord(told.state)).toMatchObject({ body: 'first' });
    told.tell(append('note'), startSeam());
    expect(deliveryRecord(told.state)).toMatchObject({ signalType: 'note' });
    told.tell(joined('sub_B'));
    expect(deliveryRecord(told.state)).toMatchObject({ signalType: 'ping' });
  });

  it('is not moved by what the framework says (DLV-03)', () => {
    const told = ready().tell(append('resources'), resources({}));
    expect(deliveryRecord(told.state)).toMatchObject({ type: 'user_message' });
    told.tell(advisory(), failure());
    expect(deliveryRecord(told.state)).toMatchObject({ type: 'user_message' });
  });

  it('stays when a new owner announces the same delivery (DLV-04)', () => {
    const told = ready()
      .tell(append('note'), finishSeam(1))
      .takeOver()
      .tell(running('sub_A', { attempt: 2 }));
    expect(deliveryRecord(told.state)).toMatchObject({ signalType: 'note' });
  });
});

describe('the response', () => {
  it('counts turns and parts over deltas, calls and data (RCD-02, RCD-15)', () => {
    const told = ready();
    expect([nextTurn(told.state), nextPart(told.state)]).toEqual([1, 0]);
    told.tell(delta(0, 0, 'Hi'));
    expect([nextTurn(told.state), nextPart(told.state)]).toEqual([1, 1]);
    told.tell(message(1, [text('Hi', 0), call('c1', 1)]));
    expect([nextTurn(told.state), nextPart(told.state), dataPart(told.state, 'order')]).toEqual([2, 2, 2]);
    told.tell(data('order', 2));
    expect([nextPart(told.state), dataPart(told.state, 'order'), dataPart(told.state, 'other')]).toEqual([
      3, 2, 3,
    ]);
  });

  it('merges metadata deeply, without dangerous keys (RESP-04)', () => {
    const told = ready()
      .tell(metadata({ a: { x: 1, y: 1 }, list: [1] }))
      .tell(metadata(JSON.parse('{"a":{"y":2},"list":[2],"__proto__":{"bad":1},"constructor":1}')));
    expect(told.state.response?.metadata).toEqual({ a: { x: 1, y: 2 }, list: [2] });
    expect(({} as { bad?: number }).bad).toBeUndefined();
  });

  it('sums usage of failed turns, children and compaction, each once (HND-20, USAGE-02)', () => {
    const fault = { stop: 'error', fault: { class: 'transient', message: 'x' } };
    const told = ready();
    expect(responseUsage(told.state)).toBeUndefined();
    told
      .tell(message(1, [], { ...fault, usage: usage(1) }))
      .tell(message(2, [call('c1', 0)], { usage: usage(10) }))
      .tell(child(1), prompt(1))
      .tell(message(1, [text('done', 0)], { conv: 1, usage: usage(100) }))
      .tell(result('c1', { turn: 2 }))
      .tell(compaction(null, { usage: usage(1000) }), resources());
    expect(responseUsage(told.state)).toEqual(usage(1111));
  });

  it('its text is that of the last message, after what it continues (HND-18, RCD-83)', () => {
    const told = ready().tell(message(1, [text('One', 0), text('Two', 1), call('c1', 2)]));
    expect(responseText(told.state)).toBe('One\n\nTwo');
    told.tell(result('c1')).tell(message(2, [text('I could', 3)], { stop: 'aborted' }));
    told.tell(append('stream_interrupted'), append('stream_continued'));
    const fault = { stop: 'error', fault: { class: 'transient', message: 'x' } };
    told.tell(message(3, [text(' lost', 4)], fault)).tell(message(4, [text(' not.', 5)]));
    expect(responseText(told.state)).toBe('I could not.');
  });

  it('counts the same call failing the same way (TURN-18)', () => {
    const told = ready();
    const fail = (turn: number, more = {}) =>
      told.tell(message(turn, [call(`c${turn}`, turn - 1)])).tell(failed(`c${turn}`, { turn, ...more }));
    fail(1);
    fail(2);
    expect(failuresInARow(told.state, 'look', '{}', 'no')).toBe(3);
    expect(failuresInARow(told.state, 'look', '{"a":1}', 'no')).toBe(1);
    expect(failuresInARow(told.state, 'look', '{}', 'other')).toBe(1);
    told.tell(message(3, [call('c3', 2)])).tell(result('c3', { turn: 3 }));
    expect(failuresInARow(told.state, 'look', '{}', 'no')).toBe(1);
  });
});

describe('tool batches', () => {
  it('know open calls, recorded steps and the order of writes (STEP-01, RCD-28)', () => {
    const told = ready()
      .tell(message(1, [call('c1', 0), call('c2', 1)]))
      .tell(write('a', 1, { call: 'c1', n: 1, step: 's' }), step('c1', 's', { value: null, undef: true }));
    const { state } = told.tell(result('c2'));
    expect(openCalls(state.toolBatches.get(ROOT) as ToolBatch).map((one) => one.id)).toEqual(['c1']);
    expect(recordedSteps(state, ROOT, 'c1')).toMatchObject([{ name: 's', value: null, undef: true }]);
    expect(recordedSteps(state, ROOT, 'c2')).toEqual([]);
    expect([isCallIdTaken(state, 'c1'), isCallIdTaken(state, 'c3')]).toEqual([true, false]);
  });
});

describe('the model context', () => {
  const shapes = (told: ReturnType<typeof ready>) =>
    contextItems(told.state).map((item) => (item.kind === 'assistant' ? item.stop : item.kind));

  it('has results in call order, once the batch has committed (TBR-02)', () => {
    const told = ready()
      .tell(message(1, [call('c1', 0), call('c2', 1)]))
      .tell(result('c2'));
    expect(shapes(told)).toEqual(['message', 'toolUse']);
    told.tell(result('c1'));
    const results = contextItems(told.state).flatMap((item) =>
      item.kind === 'result' ? [item.record.call] : [],
    );
    expect(results).toEqual(['c1', 'c2']);
  });

  it('leaves failed and aborted messages out, unless continued (RETRY-03, RCD-83)', () => {
    const fault = { stop: 'error', fault: { class: 'transient', message: 'x' } };
    const told = ready()
      .tell(message(1, [text('lost', 0)], fault))
      .tell(message(2, [], { stop: 'aborted' }))
      .tell(message(3, [text('I could', 1)], { stop: 'aborted' }));
    expect(shapes(told)).toEqual(['message']);
    told.tell(append('stream_interrupted'), append('stream_continued'));
    expect(shapes(told)).toEqual(['message', 'stop', 'message', 'message']);
  });

  it('has the advisory of a host, not that of another submission (RCD section 6)', () => {
    const told = ready().tell(user('sub_B')).tell(advisory('sub_B'), failure('sub_B'));
    expect(shapes(told)).toEqual(['message']);
    told.tell(advisory(), failure());
    expect(shapes(told)).toEqual(['message', 'message']);
  });

  it('begins with the summary of its compaction (CMP-09)', () => {
    const told = ready()
      .tell(message(1, [text('Hi', 0)]))
      .tell(compaction('res_sub_A.1'), resources());
    expect(shapes(told)).toEqual(['summary', 'stop']);
  });

  it('is measured by what the last turn reported and what came after it (CMP-05)', () => {
    const told = ready();
    expect(usedTokens(told.state)).toBe(Math.ceil('Hello'.length / 3.5));
    told.tell(message(1, [text('Hi', 0), call('c1', 1)], { usage: usage(500) }));
    told.tell(result('c1', { output: 'x'.repeat(33) }));
    expect(usedTokens(told.state)).toBe(500 + 10);
  });
});

it('initial data is that of the birth (IDATA-01)', () => {
  expect(initialData(story([{ ...birth, initialData: { plan: 'pro' } }]).state)).toEqual({ plan: 'pro' });
  expect(initialData(story([birth]).state)).toBeUndefined();
});
