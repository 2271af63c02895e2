import { describe, expect, it } from 'vitest';
import { analyseExample } from './examples.test.kit.ts';
import { rules } from './index.ts';
import { analyseTyped } from './typed-examples.test.kit.ts';

const HEAD = `import { defineTool, dispatch, useAgentStart, useModel, useResponseFinish, useResponseStart } from '@flue/runtime';
import * as v from 'valibot';
`;

/** What a rule says of a module with types, as `severity message`; without them it says nothing (RULE-07). */
function verdicts(code: string, text: string): string[] {
  const files = { 'src/a.ts': text };
  const typed = analyseTyped(files);
  expect(typed.failures).toEqual([]);
  const rule = rules.find((each) => each.code === code)!;
  const untyped = analyseExample(rule, files).diagnostics.filter((each) => each.code === code);
  expect(untyped).toEqual([]);
  return typed.diagnostics
    .filter((each) => each.code === code)
    .map(({ severity, message }) => `${severity} ${message}`);
}

/** How many questions a rule would put to a checker. */
function questionsAbout(code: string, text: string): number {
  const rule = rules.find((each) => each.code === code)!;
  return rule.questions!(analyseExample(rule, { 'src/a.ts': text }).project).length;
}

/** A value of some type that only the checker knows. */
const of = (type: string) => `declare function given(): ${type};\n`;

describe('what an agent returns, by its type (FLUE2305, RULE-07)', () => {
  const returning = (type: string) =>
    verdicts(
      'FLUE2305',
      `'use agent';\n${HEAD}${of(type)}export function Desk() { useModel('a/b'); return given(); }\n`,
    );

  it.each([
    ['number', 'error'],
    ['{ text: string; }', 'error'],
    ['string[]', 'error'],
    ['() => string', 'error'],
    ['boolean', 'error'],
    ['null', 'error'],
    ['string | null', 'warning'],
    ['string | false', 'warning'],
  ])('%s: %s', (type, severity) => {
    expect(returning(type)).toEqual([
      `${severity} An agent returns its instruction string or nothing; this returns a value of type ${type}.`,
    ]);
  });

  it.each([
    'string',
    "'a' | 'b'",
    '`a-${string}`',
    'string | undefined',
    'void',
    'string & { readonly brand: unique symbol }',
    'any',
    'unknown',
    'never',
    'Promise<string>',
    'string | Promise<number>',
  ])('%s is accepted (RULE-17)', (type) => {
    expect(returning(type)).toEqual([]);
  });

  it("a cast is the author's word (RULE-17)", () => {
    const text = `'use agent';\n${HEAD}${of('number')}export function Desk() { useModel('a/b'); return given() as unknown as string; }
export function Other() { useModel('a/b'); return (given() as any)!; }\n`;
    expect(verdicts('FLUE2305', text)).toEqual([]);
  });

  it('no type is asked for where the syntax tells (RULE-07)', () => {
    const returns = [
      "lines.join('\\n')",
      'lines[0].trim()',
      "'a' + lines",
      'String(lines)',
      "lines ? `a` : 'b'",
      'lines && undefined',
    ];
    const agents = returns.map(
      (value, index) => `export function Desk${index}(lines: any) { useModel('a/b'); return ${value}; }`,
    );
    const text = `'use agent';\n${HEAD}${agents.slice(0, 5).join('\n')}\n`;
    expect(questionsAbout('FLUE2305', text)).toBe(0);
    expect(questionsAbout('FLUE2305', `'use agent';\n${HEAD}${agents.join('\n')}\n`)).toBe(1);
  });

  it('a type parameter is not known', () => {
    const text = `'use agent';\n${HEAD}export function Desk<T>(given: T) { useModel('a/b'); return given; }\n`;
    expect(verdicts('FLUE2305', text)).toEqual([]);
  });
});

describe('what a response callback gives, by its type (FLUE2307, RULE-07)', () => {
  const giving = (type: string) =>
    verdicts(
      'FLUE2307',
      `'use agent';\n${HEAD}${of(type)}export function Desk() { useModel('a/b'); useResponseStart(() => given()); useResponseFinish(given); }\n`,
    );

  it.each(['Promise<void>', 'string[]', 'number', 'string | number', 'null'])('%s is refused', (type) => {
    expect(giving(type)).toEqual([
      'error useResponseStart() callbacks are synchronous and return a plain object or nothing.',
      'error useResponseFinish() callbacks are synchronous and return a plain object or nothing.',
    ]);
  });

  it.each([
    'void',
    'undefined',
    '{ a: number }',
    'Record<string, unknown>',
    'Promise<void> | undefined',
    'any',
    'unknown',
    'never',
  ])('%s is accepted (RULE-17)', (type) => {
    expect(giving(type)).toEqual([]);
  });
});

describe('a schema whose making is out of sight, by its type', () => {
  const tool = (type: string, field = 'input') =>
    `${HEAD}declare const given: ${type};\nexport const t = defineTool({ name: 't', description: 'd', ${field}: given, run() { return 1; } });\n`;

  it.each([
    ['v.StringSchema<undefined>', 'string'],
    ['v.ArraySchema<v.StringSchema<undefined>, undefined>', 'array'],
  ])('as an input, %s is no object (FLUE3006, RULE-07)', (type, kind) => {
    expect(verdicts('FLUE3006', tool(type))).toEqual([
      `error Tool input must be an object schema; this is "${kind}".`,
    ]);
  });

  it.each([
    'v.ObjectSchema<{ a: v.StringSchema<undefined> }, undefined>',
    'v.StrictObjectSchema<{ a: v.StringSchema<undefined> }, undefined>',
    'v.SchemaWithPipe<[v.ObjectSchema<{}, undefined>]>',
    'v.GenericSchema',
    'any',
  ])('as an input, %s may be one (FLUE3006.n1, FLUE3006.n2)', (type) => {
    expect(verdicts('FLUE3006', tool(type))).toEqual([]);
    expect(verdicts('FLUE3007', tool(type))).toEqual([]);
  });

  it.each(['{ parse(value: unknown): string }', 'v.GenericSchemaAsync'])(
    '%s is no synchronous Valibot schema (FLUE3007, FLUE1110, RULE-07)',
    (type) => {
      for (const field of ['input', 'output'])
        expect(verdicts('FLUE3007', tool(type, field))).toEqual([
          `error ${field} must be a synchronous Valibot schema.`,
        ]);
      const agent = `'use agent';\n${HEAD}declare const given: ${type};\nexport function Desk() { useModel('a/b'); }\nDesk.initialData = given;\n`;
      expect(verdicts('FLUE1110', agent)).toEqual([
        'error initialData must be a synchronous Valibot schema.',
      ]);
    },
  );

  it.each(['v.GenericSchema', 'any', 'unknown', 'object', '{}', 'v.GenericSchema | undefined'])(
    '%s may be one (RULE-17)',
    (type) => {
      expect(verdicts('FLUE3007', tool(type, 'output'))).toEqual([]);
      const agent = `'use agent';\n${HEAD}declare const given: ${type};\nexport function Desk() { useModel('a/b'); }\nDesk.initialData = given;\n`;
      expect(verdicts('FLUE1110', agent)).toEqual([]);
    },
  );
});

describe('parts without a JSON form, by the type of a schema (FLUE3008, FLUE4012, RULE-07)', () => {
  const given = (type: string) => `declare const given: ${type};\n`;
  const tool = (type: string) =>
    `${HEAD}${given(type)}export const t = defineTool({ name: 't', description: 'd', input: given, run() {} });\n`;
  const agent = (type: string) =>
    `'use agent';\n${HEAD}${given(type)}export function Desk() { useModel('a/b'); }\nDesk.initialData = given;\n`;
  const object = (fields: string) => `v.ObjectSchema<{ ${fields} }, undefined>`;

  it.each([
    [object('at: v.DateSchema<undefined>'), 'at', 'date'],
    [
      object(
        'a: v.StrictObjectSchema<{ ids: v.SetSchema<v.StringSchema<undefined>, undefined> }, undefined>',
      ),
      'a.ids',
      'set',
    ],
    [object('list: v.ArraySchema<v.BigintSchema<undefined>, undefined>'), 'list[]', 'bigint'],
    [
      object(
        'at: v.SchemaWithPipe<readonly [v.DateSchema<undefined>, v.MinValueAction<Date, Date, undefined>]>',
      ),
      'at',
      'date',
    ],
    [
      object(
        'at: v.UnionSchema<[v.DateSchema<undefined>, v.MapSchema<v.StringSchema<undefined>, v.StringSchema<undefined>, undefined>], undefined>',
      ),
      'at',
      'date',
    ],
    [
      object('t: v.TupleSchema<[v.StringSchema<undefined>, v.FileSchema<undefined>], undefined>'),
      't[1]',
      'file',
    ],
  ])('%s', (type, path, kind) => {
    expect(verdicts('FLUE3008', tool(type))).toEqual([
      `warning The model cannot supply ${path}: ${kind} has no JSON form.`,
    ]);
    expect(verdicts('FLUE4012', agent(type))).toEqual([
      `warning initialData.${path}: ${kind} has no JSON form, so HTTP clients cannot create this agent.`,
    ]);
  });

  it.each([
    object(
      'at: v.SchemaWithPipe<readonly [v.StringSchema<undefined>, v.TransformAction<string, Date>, v.DateSchema<undefined>]>',
    ),
    object('at: v.OptionalSchema<v.DateSchema<undefined>, undefined>'),
    object('at: v.UnionSchema<[v.StringSchema<undefined>, v.DateSchema<undefined>], undefined>'),
    object('at: v.CustomSchema<Date, undefined>'),
    object('at: v.AnySchema'),
    'v.GenericSchema<{ at: Date }>',
    'any',
  ])('%s is accepted (FLUE3008.n1, FLUE3008.n3, FLUE3008.n4, FLUE4012.n5)', (type) => {
    expect(verdicts('FLUE3008', tool(type))).toEqual([]);
    expect(verdicts('FLUE4012', agent(type))).toEqual([]);
  });

  it('of a field whose schema alone is out of sight, at that field; no type is asked for where all is in sight', () => {
    const fields = `declare const when: v.DateSchema<undefined>;\nexport const t = defineTool({ name: 't', description: 'd', input: v.object({ a: v.object({ when }), b: v.string() }), run() {} });\n`;
    expect(verdicts('FLUE3008', HEAD + fields)).toEqual([
      'warning The model cannot supply a.when: date has no JSON form.',
    ]);
    expect(questionsAbout('FLUE3008', HEAD + fields)).toBe(1);
    const plain = `export const t = defineTool({ name: 't', description: 'd', input: v.object({ a: v.object({ b: v.string() }), c: v.array(v.number()) }), run() {} });\n`;
    expect(questionsAbout('FLUE3008', HEAD + plain)).toBe(0);
  });

  it('is an error where the agent is served', () => {
    const mounted = `${agent(object('at: v.DateSchema<undefined>')).replace(HEAD, `${HEAD}import { createAgentRouter } from '@flue/runtime/routing';\n`)}export const router = createAgentRouter(Desk);\n`;
    expect(verdicts('FLUE4012', mounted)).toEqual([
      'error initialData.at: date has no JSON form, so HTTP clients cannot create this agent.',
    ]);
  });
});

describe('a tool that promises a value, by what it returns (FLUE3011, RULE-07)', () => {
  const text = 'This tool declares an output schema but can finish without returning a value.';
  const tool = (run: string) =>
    `export const t = defineTool({ name: 't', description: 'd', output: v.string(), ${run} });\n`;
  const returning = (type: string) => [
    `${HEAD}${of(type)}${tool('run: () => given()')}`,
    `${HEAD}${of(`Promise<${type}>`)}${tool('async run() { const found = await given(); return found; }')}`,
    `${HEAD}${of(type)}${tool(`run: given as () => ${type}`)}`,
  ];

  it.each([
    ['void', 'error'],
    ['undefined', 'error'],
    ['string | undefined', 'warning'],
  ])('%s: %s', (type, severity) => {
    for (const module of returning(type))
      expect(verdicts('FLUE3011', module)).toEqual([`${severity} ${text}`]);
  });

  it.each(['string', 'string | null', 'any', 'unknown', 'never', '{ a?: string }'])(
    '%s is a value, or may be one (RULE-17)',
    (type) => {
      for (const module of returning(type)) expect(verdicts('FLUE3011', module)).toEqual([]);
    },
  );

  it('an optional parameter may be nothing, and an overloaded function gives what its overloads say (RULE-07)', () => {
    const makes = `${HEAD}export const make = (label?: string) => ${tool('run: () => label').replace(/^export const t = /, '')}`;
    expect(verdicts('FLUE3011', makes)).toEqual([`warning ${text}`]);
    expect(verdicts('FLUE3011', makes.replace('label?', 'label'))).toEqual([]);
    const find = `declare function given(key: number): any;
function find(key: 1): string | undefined;
function find(key: number): string;
function find(key: number): string { return given(key); }
`;
    expect(verdicts('FLUE3011', `${HEAD}${find}${tool('run: () => find(1)')}`)).toEqual([`warning ${text}`]);
    expect(verdicts('FLUE3011', `${HEAD}${find}${tool('run: () => find(2)')}`)).toEqual([]);
  });

  it('no type is asked for where the syntax tells, and none without an output (RULE-07)', () => {
    const asked = (run: string) => questionsAbout('FLUE3011', `${HEAD}${of('string')}${tool(run)}`);
    expect(asked("run: () => 'x'")).toBe(0);
    expect(asked('run: () => ({ a: 1, b: [`x`] })')).toBe(0);
    expect(asked('run() {}')).toBe(0);
    expect(asked('run() { throw new Error(); }')).toBe(0);
    expect(asked('run: () => given()')).toBe(1);
    const plain = `export const t = defineTool({ name: 't', description: 'd', run: () => given() });\n`;
    expect(questionsAbout('FLUE3011', `${HEAD}${of('void')}${plain}`)).toBe(0);
  });
});

describe('the attributes of a signal, by their types (FLUE4005, RULE-07)', () => {
  const sending = (type: string) =>
    verdicts(
      'FLUE4005',
      `'use agent';\n${HEAD}${of(type)}export function Desk() { useModel('a/b'); }
export const send = () => dispatch(Desk, { id: '1', message: { kind: 'signal', type: 'a', body: 'b', attributes: { n: given() } } });\n`,
    );

  it.each(['number', 'boolean', 'Date', 'null', 'number | null'])('%s is refused', (type) => {
    expect(sending(type)).toEqual(['error Message: attributes.n must be a string.']);
  });

  it.each(['string', 'string | number', 'any', 'unknown', 'undefined', 'never'])(
    '%s is accepted (RULE-17)',
    (type) => {
      expect(sending(type)).toEqual([]);
    },
  );
});

describe('the argument of a hook, by its type (FLUE2402, RULE-07)', () => {
  const calling = (hook: string, type: string) =>
    verdicts(
      'FLUE2402',
      `'use agent';\n${HEAD.replace('useModel', 'useDataWriter, useInstruction, useModel, usePersistentState')}${of(type)}export function Desk() { useModel('a/b'); ${hook}(given() as never as ${type}); }\n`,
    );

  it.each(['number', 'string[]', '() => string', 'null', 'undefined', 'boolean | number', '{ a: string }'])(
    '%s is no text and no name',
    (type) => {
      expect(calling('useInstruction', type)).toEqual(['error useInstruction(): the text must be a string.']);
      for (const hook of ['usePersistentState', 'useDataWriter'])
        expect(calling(hook, type)).toEqual([`error ${hook}(): the name must be a non-empty string.`]);
    },
  );

  it.each(['number', 'string', 'undefined', '{ run: () => void }', 'string[]'])(
    '%s is no callback',
    (type) => {
      expect(calling('useAgentStart', type)).toEqual([
        'error useAgentStart(): the callback must be a function.',
      ]);
    },
  );

  it.each([
    'any',
    'unknown',
    'never',
    'object',
    '{}',
    'string | undefined',
    "'a' | 1",
    'string & { readonly brand: 1 }',
  ])('%s may be a text (FLUE2402.n1, FLUE2402.n2, RULE-17)', (type) => {
    expect(calling('useInstruction', type)).toEqual([]);
    expect(calling('usePersistentState', type)).toEqual([]);
  });

  it.each([
    'any',
    'unknown',
    'object',
    '{}',
    '(() => void) | undefined',
    'Function',
    '{ (): void; more: 1 }',
  ])('%s may be a callback (FLUE2402.n1, FLUE2402.n2, RULE-17)', (type) => {
    expect(calling('useAgentStart', type)).toEqual([]);
  });
});
