import { defineTool, validateAndRunTool } from '@flue/runtime/tool';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { analyseExample, runExamples } from '../examples.test.kit.ts';
import rule from './rule.ts';

// FLUE3011: every example of the folder is run, and every safe fix removes its finding.
runExamples(rule, import.meta.url);

describe('an output schema that gives a value for a missing one (FLUE3011, TCALL-08)', () => {
  const schemas: readonly (readonly [text: string, schema: v.GenericSchema])[] = [
    ["v.optional(v.string(), 'none')", v.optional(v.string(), 'none')],
    ["v.nullish(v.string(), 'none')", v.nullish(v.string(), 'none')],
    ["v.fallback(v.string(), 'none')", v.fallback(v.string(), 'none')],
    [
      "v.union([v.number(), v.optional(v.string(), 'a')])",
      v.union([v.number(), v.optional(v.string(), 'a')]),
    ],
    [
      'v.pipe(v.unknown(), v.transform(() => 1))',
      v.pipe(
        v.unknown(),
        v.transform(() => 1),
      ),
    ],
    ['v.string()', v.string()],
    ['v.optional(v.string())', v.optional(v.string())],
    ['v.any()', v.any()],
    ['v.union([v.string(), v.number()])', v.union([v.string(), v.number()])],
    ['v.pipe(v.string(), v.trim())', v.pipe(v.string(), v.trim())],
  ];

  it.each(schemas)('%s is judged as the runtime judges it', async (text, output) => {
    const definition = { name: 't', description: 'd', output, run() {} } as never;
    const runs = await validateAndRunTool(defineTool(definition)).then(
      () => true,
      () => false,
    );
    const module = `import { defineTool } from '@flue/runtime';
import * as v from 'valibot';
export const t = defineTool({ name: 't', description: 'd', output: ${text}, run() {} });\n`;
    const { diagnostics } = analyseExample(rule, { 'src/a.ts': module });
    expect(diagnostics.map(({ code }) => code)).toEqual(runs ? [] : ['FLUE3011']);
  });
});
