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
