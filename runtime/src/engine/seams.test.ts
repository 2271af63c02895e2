import { describe, expect, it } from 'vitest';
import { emptyConversation } from '../conversation/fold/state.ts';
import type { AgentAppendMessage, AgentStartContext, EventHooks } from './hooks/event-hooks.ts';
import { bufferOver } from './hooks/probe.test.support.ts';
import type { LogLine } from './logger.ts';
import { responseSoFar, runFinishSeam, runResponseSeam, runStartSeam, type SeamScope } from './seams.ts';

const soFar = responseSoFar(emptyConversation('inc_1'));
const none: EventHooks = {
  useAgentStart: [],
  useAgentFinish: [],
  useResponseStart: [],
  useResponseFinish: [],
};

const unusable = () => {
  throw new Error('No callback here asks for a harness.');
};

function scopeOf() {
  const lines: LogLine[] = [];
  const controller = new AbortController();
  const values = bufferOver({ n: 1 });
  const scope: SeamScope = {
    identity: 'Desk',
    path: 'agents/Desk/a',
    values,
    signal: controller.signal,
    emitProgress: (line) => lines.push(line),
    openHarness: unusable,
  };
  return { scope, lines, controller, values };
}

const signal = (type: string): AgentAppendMessage => ({ kind: 'signal', type, body: '' });
const failureOf = (promise: Promise<unknown>) => promise.catch((error: unknown) => error);

/** Runs one start callback and returns what it appended. */
const start = (run: (context: AgentStartContext) => void | Promise<void>) =>
  runStartSeam(scopeOf().scope, [run]);

describe('an append', () => {
  it('is taken as it is at the call (SEAM-05, JSON-02)', async () => {
    const attributes = { 'room id': '7' };
    const appended = await start(({ append }) => {
      append({ kind: 'signal', type: 'note', body: 'b', attributes, tagName: 'desk' });
      attributes['room id'] = '8';
    });
    expect(appended).toEqual([
      { kind: 'signal', type: 'note', body: 'b', attributes: { 'room id': '7' }, tagName: 'desk' },
    ]);
  });

  it.each([
    ['a user message', { kind: 'user', body: 'x' }, /must be "signal".*useDispatchMessage\(\)/],
    ['a text', 'x', /must be an object of kind "signal"/],
    ['another kind', { kind: 'event', type: 'a', body: '' }, /kind must be "signal"/],
    ['an empty type', { kind: 'signal', type: ' ', body: '' }, /type must be a non-empty string/],
    ['a reserved type', { kind: 'signal', type: 'resources', body: '' }, /only the framework writes/],
    ['no body', { kind: 'signal', type: 'a' }, /body must be a string/],
    [
      'attributes of another kind',
      { kind: 'signal', type: 'a', body: '', attributes: { n: 1 } },
      /attributes\.n must be a string/,
    ],
    ['a bad tag', { kind: 'signal', type: 'a', body: '', tagName: '1a' }, /tagName must be an XML name/],
    ['an unknown field', { kind: 'signal', type: 'a', body: '', text: '' }, /a signal has no field "text"/],
  ])('refuses %s at the call (SEAM-05, START-03)', async (_, message, text) => {
    let thrown: unknown;
    const appended = await start(({ append }) => {
      try {
        append(message as never);
      } catch (error) {
        thrown = error;
      }
    });
    expect((thrown as Error).message).toMatch(/^\[flue\] append\(\): /);
    expect((thrown as Error).message).toMatch(text);
    expect((thrown as Error).message).toMatch(/\(FLUE4005\)$/);
    expect(appended).toEqual([]);
  });

  it('is refused once its callback has settled (SEAM-06)', async () => {
    let late: AgentStartContext['append'] | undefined;
    const appended = await start(async ({ append }) => {
      late = append;
      append(signal('in time'));
    });
    expect(() => late?.(signal('late'))).toThrow('[flue] append() was called after its useAgentStart()');
    expect(appended).toHaveLength(1);
  });
});

describe('the start callbacks of one message', () => {
  it('run at once, and their appends come in declaration order (START-02, START-03)', async () => {
    const order: string[] = [];
    let open = () => {};
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    const appended = await runStartSeam(scopeOf().scope, [
      async ({ append }) => {
        order.push('first starts');
        await opened;
        append(signal('a'));
        append(signal('b'));
      },
      ({ append }) => {
        order.push('second starts');
        append(signal('c'));
        open();
      },
    ]);
    expect(order).toEqual(['first starts', 'second starts']);
    expect(appended.map(({ type }) => type)).toEqual(['a', 'b', 'c']);
  });

  it('fail with the one that threw, named and with its error, after all have settled (START-02, SEAM-03, ERRS-01)', async () => {
    let settled = false;
    let open = () => {};
    const seam = runStartSeam(scopeOf().scope, [
      () =>
        new Promise((resolve) => {
          open = () => {
            settled = true;
            resolve();
          };
        }),
      () => {
        setImmediate(() => open());
        throw new TypeError('no desk');
      },
    ]);
    const failure = await failureOf(seam);
    expect(settled).toBe(true);
    expect(failure).toMatchObject({
      type: 'operation_failed',
      message: expect.stringContaining('useAgentStart() hook #1 threw'),
      dev: 'no desk',
      meta: { category: 'hook', hook: 'useAgentStart', hookIndex: 1, agent: 'Desk' },
      cause: new TypeError('no desk'),
    });
    // The author's words are for the log alone.
    expect((failure as Error).message).not.toContain('no desk');
  });

  it('fail with an AggregateError when several threw (START-02)', async () => {
    const errors = [new Error('one'), new Error('two')];
    const throwing = errors.map((error) => () => {
      throw error;
    });
    const failure = await failureOf(runStartSeam(scopeOf().scope, throwing));
    expect(failure).toMatchObject({
      message: expect.stringContaining('hook #0 and hook #1'),
      meta: { hook: 'useAgentStart', hookIndex: 0 },
    });
    const { cause } = failure as { cause: AggregateError };
    expect(cause).toBeInstanceOf(AggregateError);
    expect(cause.errors).toEqual(errors);
  });
});

describe('what a seam writes', () => {
  it('is left for its unit, and gone when the seam fails (SEAM-02, STATE-08)', async () => {
    const { scope, values } = scopeOf();
    await runStartSeam(scope, [async () => values.write('n', 2)]);
    expect(values.take()).toEqual([{ name: 'n', value: 2 }]);
    await failureOf(
      runStartSeam(scope, [
        () => {
          values.write('n', 3);
          throw new Error('no');
        },
      ]),
    );
    expect(values.read('n').value).toBe(2);
    expect(values.take()).toEqual([]);
  });

  it('is no reason to skip an equal write of another unit, since the seam may still fail (SEAM-02, STATE-06)', async () => {
    const { scope, values } = scopeOf();
    await failureOf(
      runStartSeam(scope, [
        async () => {
          values.write('n', 2);
          await new Promise((resolve) => setImmediate(resolve));
          throw new Error('no');
        },
      ]).finally(() => {}),
    );
    values.write('n', 2);
    expect(values.take()).toEqual([{ name: 'n', value: 2 }]);
  });
});

describe('finish callbacks', () => {
  it('run one after the other, the later ones seeing what the earlier ones wrote (FIN-01)', async () => {
    const { scope, values } = scopeOf();
    const seen: unknown[] = [];
    const appended = await runFinishSeam(
      scope,
      [
        async ({ append }) => {
          await new Promise((resolve) => setImmediate(resolve));
          values.write('n', 2);
          append(signal('a'));
        },
        ({ append }) => {
          seen.push(values.read('n').value);
          append(signal('b'));
        },
      ],
      soFar,
      () => {},
    );
    expect(seen).toEqual([2]);
    expect(appended.map(({ type }) => type)).toEqual(['a', 'b']);
  });

  it('stop at the one that throws, and nothing of the cycle is left (FIN-01, SEAM-03)', async () => {
    const { scope, values } = scopeOf();
    const callbacks: EventHooks['useAgentFinish'] = [
      () => values.write('n', 2),
      () => Promise.reject(new Error('no')),
      () => values.write('n', 9),
    ];
    expect(await failureOf(runFinishSeam(scope, callbacks, soFar, () => {}))).toMatchObject({
      message: expect.stringContaining('useAgentFinish() hook #1 threw'),
      meta: { category: 'hook', hook: 'useAgentFinish', hookIndex: 1 },
    });
    expect(values.take()).toEqual([]);
  });
});

describe('the context of a callback', () => {
  it('holds the signal of the submission, which ends the seam although a callback does not listen (SEAM-02, TBR-06)', async () => {
    const { scope, controller, values } = scopeOf();
    let given: AbortSignal | undefined;
    const seam = runStartSeam(scope, [
      (context) => {
        given = context.signal;
        values.write('n', 5);
        return new Promise<void>(() => {});
      },
    ]);
    expect(given).toBe(scope.signal);
    const reason = new Error('stopped');
    controller.abort(reason);
    expect(await failureOf(seam)).toBe(reason);
    expect(values.take()).toEqual([]);
  });

  it('logs under the name and place of the hook, until the callback has settled (LOGE-02)', async () => {
    const { scope, lines } = scopeOf();
    let late: AgentStartContext['log'] | undefined;
    await runStartSeam(scope, [
      () => {},
      ({ log }) => {
        late = log;
        log.info('looking', { desk: 7, hook: 'forged' });
      },
    ]);
    late?.warn('too late');
    expect(lines).toEqual([
      { level: 'info', message: 'looking', attributes: { desk: 7, hook: 'useAgentStart', hookIndex: 1 } },
    ]);
    runResponseSeam(
      scope,
      'useResponseStart',
      { ...none, useResponseStart: [({ log }) => log.error('bad')] },
      { metadata: undefined, soFar },
    );
    expect(lines[1]).toMatchObject({ attributes: { hook: 'useResponseStart', hookIndex: 0 } });
  });
});

describe('the metadata of a response', () => {
  const observe = (
    callbacks: EventHooks['useResponseFinish'],
    metadata?: Parameters<typeof runResponseSeam>[3]['metadata'],
  ) =>
    runResponseSeam(
      scopeOf().scope,
      'useResponseFinish',
      { ...none, useResponseFinish: callbacks },
      { metadata, soFar },
    );

  it('merges deeply, later values winning, and passes over nothing and undefined (RESP-03, RESP-04)', () => {
    const added = observe([
      () => ({ a: { x: 1, y: [1] }, gone: undefined }),
      () => undefined,
      () => null as never,
      () => ({ a: { y: [2], z: null }, b: true }),
    ]);
    expect(added).toEqual({ a: { x: 1, y: [2], z: null }, b: true });
    expect(observe([() => {}])).toBeUndefined();
  });

  it('never takes a key that reaches a prototype, at any depth and in lists (RESP-04)', () => {
    const evil = JSON.parse(
      '{"__proto__":{"polluted":1},"a":{"constructor":{"prototype":{"polluted":1}},"ok":1},"l":[{"__proto__":{"polluted":1},"k":1}]}',
    );
    const added = observe([() => evil, () => ({ toString: 'text' })]);
    expect(JSON.stringify(added)).toBe('{"a":{"ok":1},"l":[{"k":1}],"toString":"text"}');
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  it('shows each callback a detached copy of what there is so far (RESP-05)', () => {
    const before = { desk: { id: 1 } };
    const seen: unknown[] = [];
    const added = observe(
      [
        ({ metadata }) => {
          seen.push(structuredClone(metadata));
          (metadata.desk as { id: number }).id = 99;
          return { more: true };
        },
        ({ metadata }) => void seen.push(metadata),
      ],
      before,
    );
    expect(seen).toEqual([{ desk: { id: 1 } }, { desk: { id: 1 }, more: true }]);
    expect(before).toEqual({ desk: { id: 1 } });
    expect(added).toEqual({ more: true });
  });

  it('is refused at the callback that makes it larger than any batch (RCD-13)', () => {
    const mebibytes = (n: number) => 'é'.repeat((n * 1024 * 1024) / 2);
    const refused = expect.objectContaining({
      meta: expect.objectContaining({ hook: 'useResponseFinish', hookIndex: 1 }),
      cause: expect.objectContaining({
        type: 'record_too_large',
        meta: expect.objectContaining({ recordType: 'metadata_merged', limit: 12 * 1024 * 1024 }),
      }),
    });
    // Both are one record, so they are too large together.
    expect(() => observe([() => ({ a: mebibytes(7) }), () => ({ b: mebibytes(7) })])).toThrow(refused);
    expect(Object.keys(observe([() => ({ a: mebibytes(11) })])!)).toEqual(['a']);
  });

  it.each([
    ['a promise', async () => ({ a: 1 }), /returned a promise/],
    ['a rejecting promise', () => Promise.reject(new Error('unheard')), /returned a promise/],
    ['a list', () => [1], /a plain object or nothing/],
    ['a text', () => 'x', /a plain object or nothing/],
    ['what JSON cannot hold', () => ({ at: new Map() }), /metadata\.at is an instance of Map/],
  ])('refuses %s, and no rejection goes unheard (RESP-03, SEAM-03)', async (_, callback, text) => {
    const unheard: unknown[] = [];
    const note = (error: unknown) => unheard.push(error);
    process.on('unhandledRejection', note);
    let failure: { dev: string; meta: object } | undefined;
    try {
      observe([callback as never]);
    } catch (error) {
      failure = error as typeof failure;
    }
    await new Promise((resolve) => setTimeout(resolve, 0));
    process.off('unhandledRejection', note);
    expect(failure?.dev).toMatch(text);
    expect(failure?.meta).toMatchObject({ category: 'hook', hook: 'useResponseFinish', hookIndex: 0 });
    expect(unheard).toEqual([]);
  });
});
