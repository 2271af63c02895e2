import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { WireServer } from '../support/wire-server.ts';
import { openGateway, play, requestOf, startWire, subjects } from './subjects.ts';

let server: WireServer;
beforeAll(async () => {
  server = await startWire();
});
beforeEach(() => server.reset());
afterAll(() => server.close());

describe.each(subjects)('a response over $protocol.api', ({ specifier, protocol }) => {
  const [provider, id] = specifier.split('/') as [string, string];
  const model = { provider, id, api: protocol.api };

  it('streams its text in the pieces that came (TURN-03, PROV-01)', async () => {
    server.answer({ text: ['Hel', 'lo, ', 'world.'] });
    const { deltas, end } = await play(openGateway(), requestOf(specifier));
    expect(deltas).toEqual([
      { type: 'text', block: 0, delta: 'Hel' },
      { type: 'text', block: 0, delta: 'lo, ' },
      { type: 'text', block: 0, delta: 'world.' },
    ]);
    expect(end).toMatchObject({ model, stop: 'stop', content: [{ type: 'text', text: 'Hello, world.' }] });
    expect(end).not.toHaveProperty('fault');
    expect(end.responseId).toMatch(/_wire$/);
  });

  it('keeps thinking apart, with what lets it be sent back (TURN-03, RCD-18)', async () => {
    server.answer({ thinking: { pieces: ['Let me ', 'see.'], signature: 'c2lnbmF0dXJl' }, text: ['Yes.'] });
    const { deltas, end } = await play(openGateway(), requestOf(specifier, { thinkingLevel: 'medium' }));
    expect(deltas.map((event) => [event.type, event.block, event.delta])).toEqual([
      ['thinking', 0, 'Let me '],
      ['thinking', 0, 'see.'],
      ['text', 1, 'Yes.'],
    ]);
    expect(end.content).toMatchObject([
      { type: 'thinking', text: 'Let me see.', sig: expect.any(String) },
      { type: 'text', text: 'Yes.' },
    ]);
  });

  it('keeps encrypted thinking, which shows nothing, at its place (RCD-15)', async () => {
    server.answer({ thinking: { pieces: [], signature: 'c2VjcmV0' }, text: ['Yes.'] });
    const { deltas, end } = await play(openGateway(), requestOf(specifier, { thinkingLevel: 'medium' }));
    const [text] = deltas;
    expect(end.content[text!.block]).toMatchObject({ type: 'text', text: 'Yes.' });
    if (protocol.api === 'openai-completions') return;
    expect(end.content[0]).toMatchObject({
      type: 'thinking',
      text: '',
      sig: expect.stringContaining('c2VjcmV0'),
    });
  });

  it('collects the argument text of each call as it streamed (TURN-08)', async () => {
    server.answer({
      text: ['Both.'],
      calls: [
        { id: 'call_a', name: 'lookup', pieces: ['{"or', 'der": ', '"A-1" ', '}'] },
        { id: 'call_b', name: 'lookup', pieces: ['{ "order":"B-2"}'] },
      ],
    });
    const { deltas, end } = await play(openGateway(), requestOf(specifier));
    expect(end.stop).toBe('toolUse');
    expect(end.content).toMatchObject([
      { type: 'text', text: 'Both.' },
      { type: 'call', id: expect.stringContaining('call_a'), tool: 'lookup', args: '{"order": "A-1" }' },
      { type: 'call', id: expect.stringContaining('call_b'), tool: 'lookup', args: '{ "order":"B-2"}' },
    ]);
    for (const [block, part] of end.content.entries()) {
      const streamed = deltas.filter((event) => event.block === block).map((event) => event.delta);
      expect(streamed.join('')).toBe(part.type === 'call' ? part.args : part.text);
    }
  });

  it('arguments that the output limit cut stay cut (TURN-08, TURN-12)', async () => {
    server.answer({
      calls: [{ id: 'call_a', name: 'lookup', pieces: ['{"order": "A-', '1'] }],
      stop: 'length',
    });
    const { end } = await play(openGateway(), requestOf(specifier));
    expect(end).toMatchObject({
      stop: 'length',
      content: [{ type: 'call', tool: 'lookup', args: '{"order": "A-1' }],
    });
  });

  it('a call without any argument text has none to give, which is `{}` (TURN-08)', async () => {
    server.answer({ calls: [{ id: 'call_a', name: 'ping', pieces: [] }] });
    const { end } = await play(openGateway(), requestOf(specifier));
    expect(end.content).toMatchObject([{ type: 'call', tool: 'ping', args: '{}' }]);

    server.answer({ calls: [{ id: 'call_a', name: 'ping', pieces: [] }], stop: 'length' });
    const cut = await play(openGateway(), requestOf(specifier));
    expect(cut.end.content).toMatchObject([{ type: 'call', args: '' }]);
  });

  it('text that the output limit cut is kept and ends with length (TURN-12)', async () => {
    server.answer({ text: ['Once upon'], stop: 'length' });
    const { end } = await play(openGateway(), requestOf(specifier));
    expect(end).toMatchObject({ stop: 'length', content: [{ type: 'text', text: 'Once upon' }] });
  });

  it('reports the tokens it used, priced by the model (USAGE-01, USAGE-03)', async () => {
    const gateway = openGateway();
    server.answer({ text: ['Hi'], usage: { input: 600, output: 40, cacheRead: 200 } });
    const { end } = await play(gateway, requestOf(specifier));
    const { cost } = await gateway.resolve(specifier);
    expect(end.usage).toMatchObject({
      input: 600,
      output: 40,
      cacheRead: 200,
      cacheWrite: 0,
      totalTokens: 840,
    });
    expect(end.usage.cost.input).toBeCloseTo((600 * cost.input) / 1e6, 12);
    expect(end.usage.cost.output).toBeCloseTo((40 * cost.output) / 1e6, 12);
    expect(end.usage.cost.total).toBeCloseTo(
      (600 * cost.input + 40 * cost.output + 200 * cost.cacheRead) / 1e6,
      12,
    );
  });

  it('is given up at once when it is aborted, and the connection is closed (TURN-12)', async () => {
    server.answer({ text: ['Wait '], end: 'silent' });
    const control = new AbortController();
    const events = [];
    for await (const event of openGateway().stream(requestOf(specifier), control.signal)) {
      events.push(event);
      control.abort();
    }
    expect(events.at(-1)).toMatchObject({
      type: 'end',
      stop: 'aborted',
      content: [{ type: 'text', text: 'Wait ' }],
    });
    await server.hungUp;
  });
});
