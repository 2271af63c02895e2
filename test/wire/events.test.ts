import { init, observe, useModel, useTool } from '@flue/runtime';
import { start } from '@flue/runtime/node';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { WireServer } from '../support/wire-server.ts';
import { startWire, subjects } from './subjects.ts';

let server: WireServer;
beforeAll(async () => {
  server = await startWire();
});
afterAll(() => server.close());

const { specifier, key, keyVariable } = subjects[0]!;
const local = subjects[2]!;

/** An agent that tells its key to everybody whom it can tell. */
function Gossip() {
  useModel(specifier);
  useTool({
    name: 'lookup',
    description: 'Looks up.',
    run({ log }) {
      log.warn(`the key is ${key}`, { key });
      throw new Error(`refused with ${key}`);
    },
  });
}

it('a key that author code spreads is in no event and in no printed line (AUTH-05, SCRUB-04, RED-02)', async () => {
  const heard: unknown[] = [];
  const end = observe((event) => void heard.push(event));
  const printed = vi.spyOn(process.stderr, 'write').mockImplementation(() => true);
  server.answer(
    { calls: [{ id: 'call_a', name: 'lookup', pieces: ['{}'] }] },
    { failure: 'invalid', text: `: ${key}` },
  );
  const flue = await start({ agents: [Gossip], env: { [keyVariable]: key, FLUE_LOG: 'info' } });
  try {
    await expect(init(Gossip, { id: 'a' }).dispatch('Tell me.')).rejects.toThrow();
  } finally {
    await flue.stop();
    end();
  }
  const lines = printed.mock.calls.map(([text]) => String(text)).join('');
  printed.mockRestore();
  expect(lines).toContain('the key is [redacted]');
  expect(JSON.stringify(heard)).toContain('refused with [redacted]');
  expect(lines + JSON.stringify(heard)).not.toContain(key);
});

function Thinker() {
  useModel(local.specifier, { thinkingLevel: 'max' });
}

it('a turn tells the level that was really used, and its request the one that was asked for (THINK-04)', async () => {
  const levels: unknown[] = [];
  const end = observe(
    (event) => {
      if (event.type === 'turn' || event.type === 'turn_request') levels.push(event.request.reasoningLevel);
    },
    { types: ['turn', 'turn_request'] },
  );
  server.answer({ text: ['Done.'] });
  const flue = await start({ agents: [Thinker], env: { [local.keyVariable]: local.key, FLUE_LOG: 'off' } });
  try {
    await init(Thinker, { id: 'a' }).dispatch('Think.');
  } finally {
    await flue.stop();
    end();
  }
  expect(levels).toEqual(['max', 'high']);
});
