import { describe, expect, it } from 'vitest';
import type { ModelEvent } from '../../ports/model-gateway.ts';
import { fakeClock } from '../../testing/fake-clock.ts';
import { watch } from './watch.ts';

const model = { provider: 'p', id: 'm', api: 'a' };

async function watched(open: () => AsyncIterable<ModelEvent>, signal = new AbortController().signal) {
  const events: ModelEvent[] = [];
  for await (const event of watch(open, { model, signal, clock: fakeClock(), idleTimeoutMs: 1000 }))
    events.push(event);
  return events;
}

describe('a watched source', () => {
  it('that throws ends with the failure instead of rejecting, at its start too', async () => {
    const error = new Error('broken');
    const end = [
      { type: 'end', model, stop: 'error', fault: { class: 'terminal', message: 'broken' }, cause: error },
    ];
    expect(
      await watched(() => {
        throw error;
      }),
    ).toMatchObject(end);
    expect(
      await watched(async function* () {
        yield* [];
        throw error;
      }),
    ).toMatchObject(end);
  });

  it('that just stops has no finish reason, which is transient (RETRY-01)', async () => {
    const events = await watched(async function* () {
      yield { type: 'text', block: 1, delta: 'Half' };
    });
    // Block 0 showed nothing; it keeps its place, so that block 1 is found at index 1.
    expect(events.at(-1)).toMatchObject({
      stop: 'error',
      content: [{ text: '' }, { text: 'Half' }],
      fault: { class: 'transient', reason: 'incomplete' },
    });
  });

  it('that ignores its signal is left behind by an abort (TURN-12)', async () => {
    const control = new AbortController();
    const done = watched(async function* () {
      yield { type: 'text', block: 0, delta: 'Half' };
      await new Promise(() => {});
    }, control.signal);
    setImmediate(() => control.abort());
    expect((await done).at(-1)).toMatchObject({ stop: 'aborted', content: [{ text: 'Half' }] });
  });

  it('is told to stop when its reader leaves', async () => {
    let told: AbortSignal | undefined;
    const source = (signal: AbortSignal) => {
      told = signal;
      return (async function* (): AsyncGenerator<ModelEvent> {
        for (;;) yield { type: 'text', block: 0, delta: 'x' };
      })();
    };
    const signal = new AbortController().signal;
    for await (const _ of watch(source, { model, signal, clock: fakeClock(), idleTimeoutMs: 0 })) break;
    expect(told?.aborted).toBe(true);
  });
});
