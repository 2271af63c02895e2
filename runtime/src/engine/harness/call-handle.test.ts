import { describe, expect, it } from 'vitest';
import { until } from '../../app/runtime.test.support.ts';
import { useTool } from '../hooks/use-tool.ts';
import type { FlueHarness } from '../tools/tool-definition.ts';
import { startCall } from './call-handle.ts';
import {
  ask,
  call,
  deskThat,
  failureOf,
  ofType,
  outcome,
  play,
  scratchRecords,
  scratchRequests,
  textOf,
} from './harness.test.support.ts';

const never = { text: 'Never said to its end.', chunkDelayMs: 3_600_000 };

/** Resolves once the scratch conversation has asked the model. */
const asked = (script: ReturnType<typeof play>, times = 1) =>
  until(() => scratchRequests(script).length >= times);

describe('the handle of a prompt', () => {
  it('is a full promise with a signal and abort() (CALL-01)', async () => {
    play(['One.', 'Two.', 'Three.']);
    await ask(
      deskThat(async ({ prompt }) => {
        const handle = prompt('x');
        expect(handle).toBeInstanceOf(Promise);
        expect(handle.signal).toBeInstanceOf(AbortSignal);
        expect(handle.signal.aborted).toBe(false);
        const text = await handle.then((response) => response.text).finally(() => {});
        return [text, (await Promise.all([prompt('y')]))[0]?.text];
      }),
    );
    expect((await outcome())?.output).toEqual(['One.', 'Two.']);
  });

  it.each(['abort()', 'options.signal'])(
    'rejects by %s with an AbortError whose cause is the first reason, and its signal has fired (CALL-02, CALL-03)',
    async (source) => {
      const script = play([never]);
      let failure: Error | undefined;
      let signal: AbortSignal | undefined;
      const reply = await ask(
        deskThat(async ({ prompt }) => {
          const controller = new AbortController();
          const handle = prompt('x', { signal: controller.signal });
          ({ signal } = handle);
          await asked(script);
          if (source === 'abort()') handle.abort('enough');
          else controller.abort('enough');
          handle.abort('later');
          failure = await failureOf(handle);
        }),
      );
      expect(failure).toBeInstanceOf(DOMException);
      expect(failure).toMatchObject({ name: 'AbortError', cause: 'enough' });
      expect(signal).toMatchObject({ aborted: true, reason: 'enough' });
      expect(reply.text).toBe('Done.');
    },
  );

  it('rejects by a signal aborted beforehand without a model call or a record (CALL-03)', async () => {
    const script = play([]);
    let failure: Error | undefined;
    await ask(
      deskThat(async ({ prompt }) => {
        failure = await failureOf(prompt('x', { signal: AbortSignal.abort('before') }));
      }),
    );
    expect(failure).toMatchObject({ name: 'AbortError', cause: 'before' });
    expect(scratchRequests(script)).toEqual([]);
    expect(await scratchRecords()).toEqual([]);
  });

  it('is not changed by an abort after it has settled (CALL-03)', async () => {
    const handle = startCall(async () => 'result');
    await handle;
    handle.abort('late');
    expect(handle.signal.aborted).toBe(false);
    expect(await handle).toBe('result');
  });

  it('lets go of the signal that it was given (CALL-02)', async () => {
    const added: unknown[] = [];
    const signal = new AbortController().signal;
    const { addEventListener, removeEventListener } = EventTarget.prototype;
    signal.addEventListener = (...args: Parameters<typeof addEventListener>) => {
      added.push(args[1]);
      addEventListener.apply(signal, args);
    };
    signal.removeEventListener = (...args: Parameters<typeof removeEventListener>) => {
      added.splice(added.indexOf(args[1]), 1);
      removeEventListener.apply(signal, args);
    };
    await startCall(async () => 'result', signal);
    expect(added).toEqual([]);
  });

  it('may be dropped: its rejection is no unhandled one (CALL-04)', async () => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown) => unhandled.push(reason);
    process.on('unhandledRejection', note);
    play([{ error: { message: 'No.', transient: false } }]);
    await ask(
      deskThat(({ prompt }) => {
        void prompt('x');
        void prompt('busy');
      }),
    );
    startCall(() => Promise.reject(new Error('dropped')));
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', note);
    expect(unhandled).toEqual([]);
  });

  it('leaves a usable conversation, with the partial turn as aborted (CALL-05)', async () => {
    const script = play([{ ...never, usage: { totalTokens: 7 } }, 'Here.']);
    await ask(
      deskThat(async ({ prompt }) => {
        const handle = prompt('First.');
        await asked(script);
        handle.abort();
        await failureOf(handle);
        return (await prompt('Second.')).text;
      }),
    );
    expect((await outcome())?.output).toBe('Here.');
    const said = ofType(await scratchRecords(), 'assistant_message');
    expect(said).toMatchObject([{ stop: 'aborted' }, { stop: 'stop' }]);
    expect(said[0]?.content.every((part) => part.type === 'text')).toBe(true);
    expect(JSON.stringify(said[0]?.content)).toMatch(/Never said/);
    expect(scratchRequests(script).at(-1)?.messages.map(textOf)).toEqual(['First.', 'Second.']);
  });

  it('stops the tools of the prompt; their calls settle as interrupted before the next prompt (CALL-05, RCD-61)', async () => {
    const script = play([call('hang'), 'Here.']);
    let stopped = false;
    let begun = false;
    await ask(
      deskThat(
        async ({ prompt }) => {
          const handle = prompt('First.');
          await until(() => begun);
          handle.abort();
          await failureOf(handle);
          return (await prompt('Second.')).text;
        },
        () =>
          useTool({
            name: 'hang',
            description: 'Hangs.',
            run({ signal }) {
              begun = true;
              signal?.addEventListener('abort', () => {
                stopped = true;
              });
              return new Promise(() => {});
            },
          }),
      ),
    );
    expect(stopped).toBe(true);
    expect((await outcome())?.output).toBe('Here.');
    expect(await outcome('hang')).toMatchObject({ conv: 1, status: 'error', interrupted: true });
    expect(scratchRequests(script)).toHaveLength(2);
  });

  it('stops the wait before a retry at once (CALL-02, RETRY-09)', async () => {
    const script = play([{ error: {} }]);
    let failure: Error | undefined;
    await ask(
      deskThat(async (harness: FlueHarness) => {
        const handle = harness.prompt('x');
        await asked(script);
        await until(async () => ofType(await scratchRecords(), 'assistant_message').length > 0);
        handle.abort('now');
        failure = await failureOf(handle);
      }),
    );
    expect(failure).toMatchObject({ name: 'AbortError', cause: 'now' });
    expect(scratchRequests(script)).toHaveLength(1);
  });
});
