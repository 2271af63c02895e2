import { describe, expect, it } from 'vitest';
import type { ModelMessage, ModelRequest, ModelTool } from '../../../ports/model-gateway.ts';
import { BANNER, decide } from './decide.ts';

const lookup: ModelTool = {
  name: 'lookup_order',
  description: 'Finds the state of an order.',
  parameters: {
    type: 'object',
    properties: { orderId: { type: 'string', description: 'as printed on the receipt' } },
    required: ['orderId'],
  },
};
const refund: ModelTool = {
  name: 'refundOrder',
  description: 'Pays an order back.',
  parameters: {
    type: 'object',
    properties: { orderId: { type: 'string' }, amount: { type: 'number' } },
    required: ['orderId', 'amount'],
  },
};
const bash: ModelTool = {
  name: 'bash',
  description: 'Runs a command in the order of things.',
  parameters: { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] },
};
const tools = [lookup, refund];

const user = (text: string): ModelMessage => ({ role: 'user', content: [{ type: 'text', text }] });
const result = (tool: string, text: string, isError = false): ModelMessage => ({
  role: 'tool',
  call: 'c',
  tool,
  isError,
  content: [{ type: 'text', text }],
});
const call = (tool: string): ModelMessage => ({
  role: 'assistant',
  model: { provider: 'offline', id: 'demo', api: 'offline' },
  content: [{ type: 'call', id: 'c', tool, args: '{}', valid: true, part: 0 }],
  stop: 'toolUse',
});
const said = (text: string): ModelMessage => ({
  role: 'assistant',
  model: { provider: 'offline', id: 'demo', api: 'offline' },
  content: [{ type: 'text', text, part: 0 }],
  stop: 'stop',
});

function next(messages: readonly ModelMessage[], o: Partial<ModelRequest> = {}) {
  return decide({
    specifier: 'offline/demo',
    system: '',
    messages,
    tools,
    thinkingLevel: 'off',
    sessionId: 'conv_1',
    purpose: 'agent',
    ...o,
  });
}
const text = (messages: readonly ModelMessage[], o: Partial<ModelRequest> = {}) => {
  const decision = next(messages, o);
  return decision.kind === 'say' ? decision.text : JSON.stringify(decision);
};

describe('choosing a tool', () => {
  it('by shared words, name before description, ties to the earlier tool (OFF-05)', () => {
    expect(next([user('Look up my orders: ORD-1042')])).toMatchObject({ tool: 'lookup_order' });
    expect(next([user('Please start refunding 12.5 for order ORD-1')])).toMatchObject({
      kind: 'call',
      tool: 'refundOrder',
      values: { orderId: 'ORD-1', amount: 12.5 },
    });
    expect(next([user('order ORD-1')])).toMatchObject({ tool: 'lookup_order' });
    expect(next([user('order ORD-1, 5')], { tools: [refund, lookup] })).toMatchObject({
      tool: 'refundOrder',
    });
    expect(next([user('state?')])).toMatchObject({ kind: 'say' });
  });

  it('built-ins only when named, or with a path or a back-ticked command (OFF-06)', () => {
    const o = { tools: [bash] };
    expect(next([user('put things in order, command: ls')], o).kind).toBe('say');
    expect(next([user('use bash, command: ls')], o)).toMatchObject({
      tool: 'bash',
      values: { command: 'ls' },
    });
    expect(next([user('run the command `ls -a`')], o)).toMatchObject({
      tool: 'bash',
      values: { command: 'ls -a' },
    });
    expect(next([user('run this, command: cat a/b.txt')], o)).toMatchObject({ tool: 'bash' });
  });
});

describe('reading a message (OFF-04)', () => {
  it('handles its clauses in order, one call per turn, at most four', () => {
    const message = user('order ORD-1; order ORD-2\norder ORD-3 then order ORD-4; order ORD-5');
    const transcript: ModelMessage[] = [message];
    for (const id of ['ORD-1', 'ORD-2', 'ORD-3', 'ORD-4']) {
      expect(next(transcript)).toMatchObject({ kind: 'call', values: { orderId: id } });
      transcript.push(call('lookup_order'), result('lookup_order', `${id} shipped`));
    }
    expect(text(transcript)).toBe(
      `${BANNER}\n\nORD-1 shipped\n\nORD-2 shipped\n\nORD-3 shipped\n\nORD-4 shipped`,
    );
  });

  it('goes on with the next clause when tools come and go between turns', () => {
    const message = user('look up order ORD-1 then refund order ORD-1, amount 5');
    expect(next([message], { tools: [lookup] })).toMatchObject({ tool: 'lookup_order' });
    const after = [message, call('lookup_order'), result('lookup_order', 'paid')];
    expect(next(after, { tools: [refund] })).toMatchObject({ tool: 'refundOrder', values: { amount: 5 } });
  });

  it('reads the newest message or signal body, and nothing that only the framework said', () => {
    const signal = user('<signal type="order.placed" id="1">\nlook up order &lt;ORD-9&gt;\n</signal>');
    const narration = user(
      '<signal type="resources" resource="tool">\n- **refund order ORD-7 for 5**\n</signal>',
    );
    expect(next([user('look up order ORD-1'), signal, narration])).toMatchObject({
      values: { orderId: 'ORD-9' },
    });
  });
});

describe('answering', () => {
  it('says once per conversation that it is no language model (OFF-02)', () => {
    expect(text([user('hello')])).toMatch(
      /^\[offline demo: no language model is connected; replies come from/,
    );
    expect(text([user('hello'), said('earlier'), user('hello')])).not.toContain(BANNER);
  });

  it('asks for what a clause leaves out and calls nothing (OFF-09)', () => {
    const ask = text([user('look up my order')]);
    expect(ask).toContain('To call lookup_order I need:\n- orderId (string): as printed on the receipt');
    const phrase = ask.match(/For example: "(.+)"/)?.[1] ?? '';
    expect(next([user(phrase)])).toMatchObject({
      kind: 'call',
      tool: 'lookup_order',
      values: { orderId: 'A-100' },
    });
  });

  it('shows results: text, lines of an object, a counted list, an error (OFF-10)', () => {
    const shown = (body: string, isError = false) =>
      text([
        said('x'),
        user('look up order ORD-1'),
        call('lookup_order'),
        result('lookup_order', body, isError),
      ]);
    expect(shown('all good')).toBe('all good');
    expect(shown('"quoted"')).toBe('quoted');
    expect(shown('42')).toBe('42');
    expect(shown('{"status":"shipped","to":{"city":"Paris","geo":{"lat":1}},"tags":["a","b"]}')).toBe(
      'status: shipped\nto:\n  city: Paris\n  geo: {"lat":1}\ntags: a, b',
    );
    expect(
      shown(JSON.stringify(Object.fromEntries([...'abcdefghijklmnopqrstuvwxyz'].map((k) => [k, 1])))).split(
        '\n',
      ),
    ).toHaveLength(20);
    expect(shown('[1,2,3,4,5,6,{"a":1}]')).toBe('7 items\n- 1\n- 2\n- 3\n- 4\n- 5');
    expect(shown('no such order', true)).toBe('The tool lookup_order failed: no such order');
  });

  it('without a match lists up to 8 tools and how to connect a model, by names of variables only (OFF-11)', () => {
    const many = Array.from({ length: 10 }, (_, i) => ({
      ...lookup,
      name: `zzz${i}`,
      description: `No. ${i}`,
    }));
    const listed = text([user('hello')], { tools: many });
    expect(listed.match(/^- zzz\d: No\. \d$/gm)).toHaveLength(8);
    expect(listed).toContain('and 2 more.');
    expect(listed).toContain('set ANTHROPIC_API_KEY or OPENAI_API_KEY');
    expect(text([user('hello')], { tools: [] })).toContain('No tool is available here.');
  });
});

describe('result mode (OFF-12)', () => {
  const finish: ModelTool = {
    name: 'finish',
    description: 'Ends with the result.',
    parameters: {
      type: 'object',
      properties: { status: { type: 'string' }, days: { type: 'integer' } },
      required: ['status', 'days'],
    },
  };
  const giveUp: ModelTool = {
    name: 'give_up',
    description: 'Ends without one.',
    parameters: { type: 'object' },
  };
  const o = { tools: [lookup, finish, giveUp] };

  it('calls finish with what the newest result and the message say, else give_up with the missing names', () => {
    const start = [user('look up order ORD-1, days: 3')];
    expect(next(start, o)).toMatchObject({ tool: 'lookup_order' });
    const known = [...start, call('lookup_order'), result('lookup_order', '{"status":"on its way"}')];
    expect(next(known, o)).toEqual({
      kind: 'call',
      tool: 'finish',
      values: { status: 'on its way', days: 3 },
    });
    const unknown = [
      user('look up order ORD-1'),
      call('lookup_order'),
      result('lookup_order', '{"status":"shipped"}'),
    ];
    expect(next(unknown, o)).toMatchObject({
      tool: 'give_up',
      values: { reason: expect.stringContaining('days') },
    });
    const refused = [...known, call('finish'), result('finish', 'status: too long', true)];
    expect(next(refused, o)).toMatchObject({
      tool: 'give_up',
      values: { reason: expect.stringContaining('too long') },
    });
  });

  it('is the only time when those two tools compete (OFF-06)', () => {
    expect(next([user('finish with status: done, days: 1')], { tools: [finish] }).kind).toBe('say');
  });
});

it('a compaction summary is the start of each user message and the tools called (OFF-13)', () => {
  const transcript = [
    user('a'.repeat(300)),
    call('lookup_order'),
    result('lookup_order', 'x'),
    user('thanks'),
  ];
  expect(text([user('Summarize.')], { purpose: 'compaction', summarized: transcript })).toBe(
    `${'a'.repeat(200)}\nthanks\nTools called: lookup_order`,
  );
});
