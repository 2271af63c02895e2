import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAssistantMessageEventStream } from '@earendil-works/pi-ai/utils/event-stream';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { tapeMode } from '../adapters/cassettes/tape-source.ts';
import { createModelGateway } from '../adapters/models/create-model-gateway.ts';
import { NO_USAGE } from '../adapters/models/usage.ts';
import { registerApiProvider, registerProvider } from '../adapters/pi-ai/registrations.ts';
import { modelSettings } from '../app/settings.ts';
import type { ModelEnd, ModelEvent, ModelMessage, ModelRequest } from '../ports/model-gateway.ts';
import { type Cassette, type CassetteOptions, useCassettes } from './cassettes.ts';
import { fakeClock } from './fake-clock.ts';

let folder: string;
let file: string;
let tape: Cassette | undefined;
/** what the real model says next, and how often it was asked */
let answers: (string | { error: string })[];
let asked: number;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'flue-tape-'));
  file = join(folder, 'tapes', 'orders.json');
  answers = [];
  asked = 0;
  vi.stubEnv('CI', '');
  registerApiProvider({ api: 'taped', stream: speak, streamSimple: speak });
  registerProvider('taped', { api: 'taped', baseUrl: 'http://127.0.0.1:9', apiKeyEnv: 'TAPED_KEY' });
});
afterEach(() => {
  tape?.eject();
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

/** A provider that streams its answer in two deltas, then a call. */
function speak(model: { id: string }) {
  asked += 1;
  const events = createAssistantMessageEventStream();
  const answer = answers.shift() ?? 'nothing left';
  const base = {
    role: 'assistant',
    provider: 'taped',
    model: model.id,
    api: 'taped',
    usage: { ...NO_USAGE, totalTokens: 7 },
  };
  const push = (event: object) => events.push(event as never);
  if (typeof answer !== 'string') {
    push({
      type: 'error',
      reason: 'error',
      error: { ...base, content: [], stopReason: 'error', errorMessage: answer.error },
    });
  } else {
    const text = { type: 'text', text: answer };
    const content = [text];
    push({ type: 'text_start', contentIndex: 0, partial: { ...base, content } });
    push({ type: 'text_delta', contentIndex: 0, delta: answer.slice(0, 2), partial: { ...base, content } });
    push({ type: 'text_delta', contentIndex: 0, delta: answer.slice(2), partial: { ...base, content } });
    push({ type: 'text_end', contentIndex: 0, content: answer, partial: { ...base, content } });
    push({
      type: 'done',
      reason: 'stop',
      message: { ...base, content, stopReason: 'stop', responseId: `r${asked}` },
    });
  }
  events.end();
  return events;
}

const user = (text: string): ModelMessage => ({ role: 'user', content: [{ type: 'text', text }] });

function request(text: string, more: Partial<ModelRequest> = {}): ModelRequest {
  return {
    specifier: 'taped/any',
    system: 'You help.\n\nCurrent date: 2026-07-17',
    messages: [user(text)],
    tools: [],
    thinkingLevel: 'off',
    sessionId: 'inc_1',
    purpose: 'agent',
    ...more,
  };
}

/** A gateway as a process makes one; without `env` it has no credential. */
function models(env: Record<string, string> = {}) {
  const gateway = createModelGateway({ env, settings: modelSettings(undefined, {}), clock: fakeClock() });
  return async (asking: ModelRequest, signal = new AbortController().signal) => {
    const events: ModelEvent[] = [];
    for await (const event of gateway.stream(asking, signal)) events.push(event);
    const end = events.at(-1) as ModelEnd;
    const deltas = events.flatMap((event) => (event.type === 'text' ? [event.delta] : []));
    return { deltas, text: deltas.join(''), end };
  };
}

const KEY = { TAPED_KEY: 'taped-secret-0001' };
const use = async (options: Partial<CassetteOptions> = {}) => {
  tape?.eject();
  tape = await useCassettes({ file, ...options });
  return tape;
};
const stored = () => readFileSync(file, 'utf8');

describe('a cassette', () => {
  it('records what a model says and replays it to a process without key or model (CAS-01, CAS-02, CAS-05)', async () => {
    answers = ['Hello.'];
    await use({ mode: 'record' });
    const live = await models(KEY)(request('Hi'));
    const recording = await use({ mode: 'replay' });
    const again = await models()(request('Hi'));
    expect([asked, recording.replayed, recording.recorded]).toEqual([1, 1, 0]);
    expect(again.deltas).toEqual(['He', 'llo.']);
    expect(again.end).toEqual(live.end);
    expect(again.end).toMatchObject({ stop: 'stop', responseId: 'r1', usage: { totalTokens: 7 } });
  });

  it('replays equal requests in their order, then the last one again (CAS-04)', async () => {
    answers = ['One.', 'Two.'];
    await use({ mode: 'record' });
    const live = models(KEY);
    await live(request('Hi'));
    await live(request('Hi'));
    await use({ mode: 'replay' });
    const replay = models();
    const texts = [];
    for (let n = 0; n < 4; n++) texts.push((await replay(request('Hi'))).text);
    expect(texts).toEqual(['One.', 'Two.', 'Two.', 'Two.']);
  });

  it('by default replays what is stored and records the rest, and is only a replay where CI is set (CAS-01)', async () => {
    answers = ['Hello.', 'Bye.'];
    await use();
    await models(KEY)(request('Hi'));
    const next = await use();
    const both = models(KEY);
    expect((await both(request('Hi'))).text).toBe('Hello.');
    expect((await both(request('Bye'))).text).toBe('Bye.');
    expect([asked, next.replayed, next.recorded]).toEqual([2, 1, 1]);
    expect(tapeMode('auto', { CI: 'true' })).toBe('replay');
    expect(tapeMode('record', { CI: 'true' })).toBe('record');
    expect(() => tapeMode('rec', {})).toThrow('one of record, replay, auto, not "rec"');
  });

  it('knows a request again in another run: dates, ids and session are not part of it (CAS-03)', async () => {
    const turn = (ulid: string, uuid: string, call: string): Partial<ModelRequest> => ({
      messages: [
        user(`Order ${ulid} of ${uuid}, ${ulid}.`),
        {
          role: 'assistant',
          model: { provider: 'taped', id: 'any', api: 'taped' },
          content: [{ type: 'call', id: call, tool: 'look', args: '{}', valid: true, part: 0 }],
          stop: 'toolUse',
        },
        {
          role: 'tool',
          call,
          tool: 'look',
          isError: false,
          content: [{ type: 'image', mimeType: 'image/png', data: 'aGk=' }],
        },
      ],
    });
    answers = ['Seen.'];
    await use({ mode: 'record' });
    const first = turn('01J0000000ABCDEFGHJKMNPQRS', '0b0e7c5a-1f4e-4d2a-9a57-0a1b2c3d4e5f', 'c1');
    await models(KEY)(request('', first));
    expect(stored()).not.toContain('aGk=');
    await use({ mode: 'replay' });
    const second = turn('01J1111111ABCDEFGHJKMNPQRS', '7c9e6679-7425-40de-944b-e07fc1f90ae7', 'x9');
    const other = { system: 'You help.\n\nCurrent date: 2026-08-01', sessionId: 'inc_2' };
    expect((await models()(request('', { ...second, ...other }))).text).toBe('Seen.');
  });

  it.each<[string, Partial<ModelRequest>]>([
    ['the model', { specifier: 'taped/other' }],
    ['the thinking level', { thinkingLevel: 'high' }],
    ['the output limit', { maxTokens: 5 }],
    ['the system prompt', { system: 'You hinder.' }],
    ['a message', { messages: [user('Ho')] }],
    ['a tool', { tools: [{ name: 'look', description: 'Looks.', parameters: {} }] }],
  ])('takes a request for another one by %s (CAS-03)', async (_, more) => {
    answers = ['Hello.'];
    await use({ mode: 'record' });
    await models(KEY)(request('Hi'));
    await use({ mode: 'replay' });
    expect((await models()(request('Hi', more))).end.fault).toMatchObject({
      class: 'terminal',
      reason: 'cassette_miss',
    });
  });

  it('compares what `normalize` makes of a request (CAS-03)', async () => {
    const normalize: CassetteOptions['normalize'] = (told) => ({ ...told, system: '' });
    answers = ['Hello.'];
    await use({ mode: 'record', normalize });
    await models(KEY)(request('Hi', { system: 'Build 1.' }));
    await use({ mode: 'replay', normalize });
    expect((await models()(request('Hi', { system: 'Build 2.' }))).text).toBe('Hello.');
  });

  it('that lacks a request fails it with the nearest entry and where it differs, and leaves a note beside it (CAS-05)', async () => {
    answers = ['Hello.'];
    await use({ mode: 'record' });
    await models(KEY)(request('Hi'));
    await use({ mode: 'replay' });
    const { end } = await models()(request('Ho'));
    expect(end.cause).toMatchObject({
      type: 'cassette_miss',
      meta: { difference: 'messages[0].content[0].text' },
      dev: expect.stringMatching(/entry 0.*"Hi".*"Ho"/s),
    });
    expect(asked).toBe(1);
    const miss = JSON.parse(readFileSync(`${file}.miss.json`, 'utf8'));
    expect(miss).toMatchObject({
      nearest: 0,
      difference: 'messages[0].content[0].text',
      request: { model: 'taped/any' },
    });
  });
});

describe('the file of a cassette', () => {
  it('holds no key, no value of a credential and nothing that `redact` takes out (CAS-06, AUTH-05)', async () => {
    vi.stubEnv('OTHER_TOKEN', 'other-secret-0002');
    answers = ['My card is 4111.'];
    await use({ mode: 'record', redact: (text) => text.replaceAll('4111', '****') });
    await models({ ...KEY })(request('Use other-secret-0002 and 4111.'));
    expect(stored()).not.toMatch(/taped-secret-0001|other-secret-0002|4111|TAPED_KEY|authorization/i);
    expect(stored()).toContain('Use [redacted] and ****.');
    expect(JSON.parse(stored())).toMatchObject({
      version: 1,
      entries: [{ key: expect.stringMatching(/^[0-9a-f]{64}$/) }],
    });
  });

  it('is written whole after each call, by first use, and stays the same bytes in an unchanged run (CAS-06)', async () => {
    answers = ['B.', 'A.', 'C.'];
    await use();
    const first = models(KEY);
    await first(request('b'));
    await first(request('a'));
    const before = stored();
    await use();
    const second = models(KEY);
    await second(request('b'));
    await second(request('a'));
    expect(stored()).toBe(before);
    await use();
    const third = models(KEY);
    await third(request('a'));
    await third(request('c'));
    const texts = JSON.parse(stored()).entries.map(
      ({ end }: { end: ModelEnd }) => (end.content[0] as { text: string }).text,
    );
    expect(texts).toEqual(['A.', 'C.', 'B.']);
    expect(readdirSync(join(folder, 'tapes'))).toEqual(['orders.json']);
  });

  it('gets failures that last, and neither passing ones nor calls that were aborted (CAS-07)', async () => {
    answers = [{ error: '503 service unavailable' }, { error: 'invalid_request_error: no' }];
    const recording = await use({ mode: 'record' });
    const live = models(KEY);
    expect((await live(request('a'))).end.fault!.class).toBe('transient');
    expect(recording.recorded).toBe(0);
    expect((await live(request('b'))).end.fault!.class).toBe('terminal');
    expect(recording.recorded).toBe(1);
    expect((await live(request('c'), AbortSignal.abort())).end.stop).toBe('aborted');
    expect(recording.recorded).toBe(1);
    await use({ mode: 'replay' });
    expect((await models()(request('b'))).end.fault).toMatchObject({ class: 'terminal' });
  });

  it('is refused when it is no cassette, and so is an unknown option (CAS-01)', async () => {
    const plain = join(folder, 'plain.json');
    writeFileSync(plain, '{"version":9}');
    await expect(use({ file: plain })).rejects.toThrow(`${plain} is no cassette of version 1`);
    await expect(use({ mod: 'replay' } as never)).rejects.toThrow('no option "mod"');
  });
});

it('FLUE_CASSETTE and FLUE_CASSETTE_DIR put the models of a host on tape (CAS-01)', async () => {
  answers = ['Hello.'];
  await models({ ...KEY, FLUE_CASSETTE: 'record', FLUE_CASSETTE_DIR: folder })(request('Hi'));
  const replay = models({ FLUE_CASSETTE: 'replay', FLUE_CASSETTE_DIR: folder });
  expect((await replay(request('Hi'))).text).toBe('Hello.');
  expect(asked).toBe(1);
});
