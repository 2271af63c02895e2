import ts from 'typescript';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Resolution } from '../analysis/host.ts';
import type { TreeHost } from './evaluate/resolve-name.ts';
import { loadSchemaLibrary, type SchemaLibrary } from './schema-library.ts';
import { createSchemaReader } from './schema-reader.ts';

let library: SchemaLibrary;
beforeAll(async () => {
  library = await loadSchemaLibrary(import.meta.dirname);
});

function memoryHost(files: Record<string, string>): TreeHost {
  const trees = new Map(
    Object.entries(files).map(([path, text]) => [
      path,
      ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true),
    ]),
  );
  const resolve = (specifier: string): Resolution => {
    if (specifier === 'valibot') return { kind: 'valibot' };
    if (specifier.startsWith('@flue/runtime')) return { kind: 'flue', entry: '.' };
    if (files[specifier.slice(2)] !== undefined) return { kind: 'project', path: specifier.slice(2) };
    return specifier.startsWith('.') ? { kind: 'unresolved' } : { kind: 'package', name: specifier };
  };
  return {
    ts,
    read: (path) => (files[path] === undefined ? undefined : { text: files[path] }),
    resolve,
    tree: (path) => trees.get(path),
  };
}

/** Reads the initializer of `const schema = ...` in `a.ts`. */
function readerOf(body: string, others: Record<string, string> = {}) {
  const text = `import * as v from 'valibot';\n${body}`;
  const host = memoryHost({ 'a.ts': text, ...others });
  const start = text.indexOf('const schema = ') + 'const schema = '.length;
  let end = start;
  const visit = (node: ts.Node): void => {
    if (ts.isVariableDeclaration(node) && node.initializer?.getStart() === start) end = node.initializer.end;
    ts.forEachChild(node, visit);
  };
  visit(host.tree('a.ts')!);
  const span = { path: 'a.ts', start, end, line: 2, column: 1, endLine: 2, endColumn: 2 };
  return { reader: createSchemaReader(host, library), span };
}

function slot(body: string, others?: Record<string, string>) {
  const { reader, span } = readerOf(body, others);
  return reader.slot(span);
}

function properties(body: string, others?: Record<string, string>): string[] {
  const result = slot(body, others);
  return 'schema' in result ? Object.keys(result.schema.properties as object) : [result.reason];
}

describe('a schema that is static', () => {
  it('becomes the JSON Schema of the runtime, without $schema (EVALS-02)', () => {
    expect(
      slot('const schema = v.object({ id: v.pipe(v.string(), v.minLength(2), v.regex(/^a/)) });'),
    ).toEqual({
      schema: {
        type: 'object',
        properties: { id: { type: 'string', minLength: 2, pattern: '^a' } },
        required: ['id'],
      },
    });
  });

  it('has callbacks replaced, which leave no trace in JSON Schema (EVALS-01)', () => {
    const body = `const schema = v.object({
      a: v.pipe(v.string(), v.check((x) => { throw new Error('ran'); }), v.transform((x) => x.length)),
      b: v.optional(v.string(), () => crypto.randomUUID()),
    });`;
    expect(slot(body)).toEqual({
      schema: {
        type: 'object',
        properties: { a: { type: 'string' }, b: { type: 'string' } },
        required: ['a'],
      },
    });
  });

  it('evaluates helpers of the project: constants, partial, pick, omit, intersect, spreads of entries (EVALS-04)', () => {
    const others = {
      'ids.ts': "import * as v from 'valibot'; export const Id = v.pipe(v.string(), v.minLength(1));",
      'barrel.ts': "export * from './ids.ts'; export { Id as Key } from './ids.ts';",
    };
    const imports = "import { Id, Key } from './barrel.ts';";
    expect(properties(`${imports} const schema = v.object({ id: Id, key: Key });`, others)).toEqual([
      'id',
      'key',
    ]);
    const base = 'const base = v.object({ a: v.string(), b: v.string() });';
    expect(properties(`${base} const schema = v.object({ ...base.entries, c: v.number() });`)).toEqual([
      'a',
      'b',
      'c',
    ]);
    expect(properties(`${base} const schema = v.partial(v.omit(base, ['a']));`)).toEqual(['b']);
    expect(properties(`${base} const schema = v.pick(base, ['a'] as const);`)).toEqual(['a']);
  });

  it('evaluates functions of static arguments with one returned expression (EVALS-04)', () => {
    const body = `
      const page = (size: number, field = v.string()) => v.object({ size: v.pipe(v.number(), v.maxValue(size)), field });
      function wrap<T>(inner: T) { return v.object({ inner: page(inner as never) }); }
      const schema = wrap(10 * 2);`;
    expect(JSON.stringify(slot(body))).toContain('"maximum":20');
  });

  it('evaluates enums, conditions, templates and namespace imports', () => {
    const others = { 'n.ts': 'export const prefix = "a"; export enum Kind { One = "one", Two = "two" }' };
    const body = `import * as n from './n.ts';
      const schema = v.object({ k: v.enum(n.Kind), p: v.literal(\`\${n.prefix}-\${1 + 1}\`), t: true ? v.string() : v.number() });`;
    expect(slot(body, others)).toMatchObject({
      schema: { properties: { k: { enum: ['one', 'two'] }, p: { const: 'a-2' }, t: { type: 'string' } } },
    });
  });

  it('takes what a definition holds, whatever its other members are (RULE-28)', () => {
    const body = `import { defineTool } from '@flue/runtime';
      const tool = defineTool({ name: process.env.NAME, input: v.object({ q: v.string() }), async run() {} });
      const schema = tool.input;`;
    expect(properties(body)).toEqual(['q']);
  });

  it('follows a recursive schema through lazy', () => {
    const body = 'const tree = v.object({ kids: v.array(v.lazy(() => tree)) });\nconst schema = tree;';
    expect(JSON.stringify(slot(body))).toContain('$ref');
  });
});

describe('a schema that is not static says why (EVALS-03)', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['opaque-call', "import { make } from 'some-package'; const schema = make();"],
    ['opaque-call', 'const make = () => { const x = v.string(); return x; }; const schema = make();'],
    ['opaque-call', 'const make = async () => v.string(); const schema = make();'],
    ['opaque-call', 'function* make() { return v.string(); } const schema = make();'],
    ['foreign-schema', "import { z } from 'zod'; const schema = z.object({});"],
    ['foreign-schema', 'const schema = { type: "object" };'],
    ['unresolved-import', "import { Id } from './missing.ts'; const schema = v.object({ id: Id });"],
    ['parameter', 'function f(x: string) { const schema = v.literal(x); return schema; }'],
    ['mutable-binding', 'let id = v.string(); const schema = v.object({ id });'],
    [
      'mutable-binding',
      'const fields = { a: v.string() }; fields.b = v.number(); const schema = v.object(fields);',
    ],
    ['mutable-binding', 'const kinds = ["a"]; kinds.push("b"); const schema = v.picklist(kinds);'],
    ['unknown-spread', 'const schema = v.object({ ...process.env });'],
    ['computed-key', 'const schema = v.object({ [process.env.KEY]: v.string() });'],
    ['async-schema', 'const schema = v.objectAsync({ a: v.string() });'],
    ['not-literal', 'const schema = v.literal(process.env.MODE);'],
    [
      'recursive',
      'const schema = v.lazy(() => make()); const make = () => v.object({ a: v.lazy(() => make()) });',
    ],
    ['budget', `const schema = v.picklist([${'1,'.repeat(20_100)}]);`],
  ];
  it.each(cases)('%s: %s', (reason, body) => {
    expect(slot(body)).toMatchObject({ dynamic: true, reason });
  });
});

describe('a namespace import', () => {
  it('is read by member and never spread (EVALS-03)', () => {
    const others = { 'ids.ts': "import * as v from 'valibot'; export const id = v.string();" };
    const imports = "import * as ids from './ids.ts';";
    expect(properties(`${imports} const schema = v.object({ id: ids.id });`, others)).toEqual(['id']);
    expect(properties(`${imports} const schema = v.object({ ...ids });`, others)).toEqual(['unknown-spread']);
  });
});

describe('acceptsUndefined', () => {
  const accepts = (body: string) => {
    const { reader, span } = readerOf(body);
    return reader.acceptsUndefined(span);
  };
  it('is what Valibot says, and unknown when a callback has a say (MAN-02)', () => {
    expect(accepts('const schema = v.optional(v.object({}));')).toBe(true);
    expect(accepts('const schema = v.object({});')).toBe(false);
    expect(accepts('const schema = v.optional(v.object({}), () => ({}));')).toBe(null);
    expect(accepts('const schema = v.object({ [process.env.A]: v.string() });')).toBe(null);
  });
});
