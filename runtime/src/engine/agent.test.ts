import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { dispatch, getAgentInstance } from '../app/dispatch.ts';
import { init } from '../app/init.ts';
import { startTest } from '../app/runtime.test.support.ts';
import { scriptModel } from '../testing/script-model.ts';
import { createAgentRouter } from '../transports/http/router.ts';
import { parseDurability, parseInitialDataSchema } from './agent.ts';
import { useModel } from './hooks/use-model.ts';

describe('parseDurability', () => {
  it('fills the defaults in (STATIC-05)', () => {
    expect(parseDurability(undefined, 'A')).toEqual({ maxAttempts: 10, timeoutMs: 3_600_000 });
    expect(parseDurability({ maxAttempts: 2 }, 'A')).toEqual({ maxAttempts: 2, timeoutMs: 3_600_000 });
    expect(parseDurability({ timeoutMs: 5 }, 'A')).toEqual({ maxAttempts: 10, timeoutMs: 5 });
  });

  it.each([
    [{ maxAttempts: 0 }],
    [{ maxAttempts: 1.5 }],
    [{ timeoutMs: -1 }],
    [{ timeoutMs: '60' }],
    [{ timeoutMs: Number.POSITIVE_INFINITY }],
    [{ maxAttempts: null }],
  ])('refuses %j, naming field and agent (STATIC-05)', (durability) => {
    const [field] = Object.keys(durability);
    expect(() => parseDurability(durability, 'Triage')).toThrow(
      new RegExp(
        `^\\[flue\\] durability\\.${field} of agent "Triage" must be a positive integer.*\\(FLUE1109\\)$`,
      ),
    );
  });

  it('refuses an unknown field and names the known ones (STATIC-06)', () => {
    expect(() => parseDurability({ timeout: 5 }, 'A')).toThrow(
      'has no field "timeout"; did you mean "timeoutMs"? It takes maxAttempts, timeoutMs.',
    );
  });

  it.each([[null], [5], [[]], ['x']])('refuses %j in place of an object (STATIC-07)', (value) => {
    expect(() => parseDurability(value, 'A')).toThrow('must be an object');
  });
});

describe('parseInitialDataSchema', () => {
  it('takes any synchronous Valibot schema (STATIC-07)', () => {
    const schema = v.optional(v.object({ a: v.string() }), { a: 'x' });
    expect(parseInitialDataSchema(schema, 'A')).toBe(schema);
    expect(parseInitialDataSchema(undefined, 'A')).toBeUndefined();
  });

  it.each([
    ['a plain object', { issue: 'number' }],
    ['an asynchronous schema', v.objectAsync({ a: v.string() })],
    ['a schema with an asynchronous part', v.object({ a: v.pipeAsync(v.string()) as never })],
    ['a function', () => v.string()],
  ])('refuses %s (STATIC-07)', (_, schema) => {
    expect(() => parseInitialDataSchema(schema, 'Triage')).toThrow(
      '[flue] initialData of agent "Triage" must be a synchronous Valibot schema. (FLUE1110)',
    );
  });
});

describe('an agent function', () => {
  it('is itself what every call that takes an agent accepts (AGENT-01)', async () => {
    function Desk() {
      useModel('offline/script');
    }
    scriptModel({ steps: () => ({ text: 'ok' }) });
    const router = createAgentRouter(Desk);
    const flue = await startTest({ agents: [Desk] });
    const { dispatchId } = await dispatch(Desk, { id: 'a', message: 'x' });
    expect((await init(Desk, { id: 'a' }).read(dispatchId)).text).toBe('ok');
    expect(await getAgentInstance(Desk, 'a')).toMatchObject({ id: 'a' });
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ kind: 'user', body: 'y' });
    expect((await router.request('/a', { method: 'POST', headers, body })).status).toBe(202);
    await flue.stop();
  });
});
