import { afterEach, describe, expect, it } from 'vitest';
import type { FlueObservation, FlueObservationSubscriber } from './event.ts';
import { testEvents } from './events.test.support.ts';
import type { Events } from './events.ts';
import { isObserved, observe } from './observe.ts';

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

function subscribe(call: FlueObservationSubscriber, options?: { types?: readonly string[] }): () => void {
  const end = observe(call, options);
  ends.push(end);
  return end;
}

function emitter() {
  const request = new Request('http://localhost/agents/desk/a');
  const requestOf = (id: string) => (id === 'sub_http' ? request : undefined);
  return { ...testEvents(undefined, { env: { REGION: 'eu' }, requestOf }), request };
}

const say = (events: Events, text: string) => events.emit({ type: 'text_delta', text });

describe('observe()', () => {
  it('hears from its registration to its end, and ending it again does nothing (OBV-01)', () => {
    const { events } = emitter();
    const heard: FlueObservation[] = [];
    say(events, 'before');
    const end = subscribe((event) => void heard.push(event));
    say(events, 'during');
    end();
    end();
    say(events, 'after');
    expect(heard).toMatchObject([{ type: 'text_delta', text: 'during' }]);
    expect(isObserved()).toBe(false);
  });

  it('calls subscribers at once, in their order, with one frozen copy (OBV-02)', () => {
    const { events } = emitter();
    const order: string[] = [];
    const seen: FlueObservation[] = [];
    subscribe((event) => {
      order.push('first');
      seen.push(event);
    });
    subscribe((event) => {
      order.push('second');
      seen.push(event);
    });
    const attributes = { list: [{ n: 1 }] };
    events.emit({ type: 'log', level: 'info', message: 'x', attributes });
    expect(order).toEqual(['first', 'second']);
    expect(seen[1]).toBe(seen[0]);
    attributes.list[0]!.n = 2;
    expect(seen[0]).toMatchObject({ attributes: { list: [{ n: 1 }] } });
    const { list } = (seen[0] as unknown as { attributes: typeof attributes }).attributes;
    for (const held of [seen[0], list, list[0]]) expect(Object.isFrozen(held)).toBe(true);
  });

  it('contains throws and rejections, and logs equal ones once a minute (OBV-03)', async () => {
    const { events, clock, printed } = emitter();
    const heard: string[] = [];
    subscribe(() => {
      throw new RangeError('too far');
    });
    subscribe(() => Promise.reject(new TypeError('late')), { types: ['text_delta'] });
    subscribe((event) => void heard.push(event.type), { types: ['text_delta', 'log'] });
    say(events, 'a');
    await new Promise((resolve) => setImmediate(resolve));
    say(events, 'b');
    await new Promise((resolve) => setImmediate(resolve));
    expect(printed).toMatchObject([
      {
        level: 'error',
        message: '[flue:observe] A subscriber failed.',
        attributes: { error: { name: 'RangeError', message: 'too far' } },
      },
      { level: 'error', attributes: { error: { name: 'TypeError', message: 'late' } } },
    ]);
    expect(heard).toEqual(['text_delta', 'log', 'log', 'text_delta']);
    await clock.advance(60_000);
    say(events, 'c');
    expect(printed).toHaveLength(3);
  });

  it('harms nobody, not even when its failure cannot be logged (OBV-03, SUB-08)', async () => {
    const broken = () => {
      throw new Error('the log is full');
    };
    const { events } = testEvents(undefined, { print: broken });
    const heard: string[] = [];
    subscribe(() => {
      throw new Error('x');
    });
    subscribe(() => Promise.reject(new Error('y')));
    subscribe(({ type }) => void heard.push(type));
    say(events, 'a');
    await new Promise((resolve) => setImmediate(resolve));
    expect(heard).toEqual(['text_delta']);
  });

  it('delivers the events of one context in the order of their index, also those that subscribers cause (OBV-04)', () => {
    const { events } = emitter();
    const heard: number[] = [];
    let caused = false;
    subscribe((_event, ctx) => {
      if (!caused) ctx.log.info('seen');
      caused = true;
    });
    subscribe(({ eventIndex }) => void heard.push(eventIndex));
    say(events.within({ turnId: 't1' }), 'a');
    say(events, 'b');
    expect(heard).toEqual([0, 1, 2]);
  });

  it('builds nothing that nobody asked for (OBV-05)', () => {
    const { events } = emitter();
    const body = {
      type: 'text_delta' as const,
      get text(): string {
        throw new Error('it was built');
      },
    };
    events.emit(body);
    expect([isObserved(), events.wants('text_delta')]).toEqual([false, false]);
    const heard: FlueObservation[] = [];
    subscribe((event) => void heard.push(event), { types: ['idle'] });
    events.emit(body);
    expect([events.wants('text_delta'), events.wants('idle')]).toEqual([false, true]);
    events.emit({ type: 'idle' });
    expect(heard).toEqual([
      {
        v: 3,
        type: 'idle',
        eventIndex: 0,
        timestamp: '1970-01-01T00:00:00.000Z',
        instanceId: 'a',
        agentName: 'Desk',
        submissionId: 'sub_1',
      },
    ]);
  });

  it('hands over the instance, the environment, the request and a log that does not come back (OBV-06)', () => {
    const { events, printed, request } = emitter();
    const heard: string[] = [];
    subscribe((event, { id, agentName, env, req, log }) => {
      heard.push(`first ${event.type}`);
      expect({ id, agentName, env }).toEqual({ id: 'a', agentName: 'Desk', env: { REGION: 'eu' } });
      expect(req).toBe(event.submissionId === 'sub_http' ? request : undefined);
      log.warn('noted', { by: 'first' });
    });
    subscribe((event, { log }) => {
      heard.push(`second ${event.type}`);
      log.warn('noted', { by: 'second' });
    });
    events.emit({ type: 'idle' });
    // Each line reaches the other one once, and ends there.
    expect(heard).toEqual(['first idle', 'second idle', 'second log', 'first log']);
    expect(printed).toHaveLength(4);
    events.within({ submissionId: 'sub_http' }).emit({ type: 'idle' });
  });

  it('refuses what it cannot serve, and says what it takes (HOOK-04)', () => {
    expect(() => observe('x' as never)).toThrow('[flue] observe() takes a function, not string.');
    expect(() => observe(() => {}, null as never)).toThrow(/options must be an object, not null/);
    expect(() => observe(() => {}, { type: ['tool'] } as never)).toThrow(
      /no option "type"; did you mean "types"/,
    );
    expect(() => observe(() => {}, { types: 'tool' as never })).toThrow(/must be a list of event types/);
    expect(isObserved()).toBe(false);
  });

  it('costs a thousand deltas under 5 ms with an empty subscriber (EVT-12)', () => {
    const { events } = emitter();
    subscribe(() => {});
    const took = () => {
      const start = performance.now();
      for (let n = 0; n < 1000; n++) say(events, 'a few words ');
      return performance.now() - start;
    };
    // The best of several: what else this machine does is not measured.
    expect(Math.min(...Array.from({ length: 20 }, took))).toBeLessThan(5);
  });
});
