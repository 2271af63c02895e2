import * as v from 'valibot';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { hookValue, renderHooks } from './probe.test.support.ts';
import { useDataWriter } from './use-data-writer.ts';

const Progress = v.object({ done: v.number(), of: v.optional(v.number(), 10) });

/** A writer of the part `progress`, and what it handed on. */
function written(options?: { schema: typeof Progress }) {
  const writes: unknown[] = [];
  const writer = hookValue(
    () =>
      (options ? useDataWriter('progress', options) : useDataWriter('progress')) as (data: unknown) => void,
    { writeData: (name, data) => writes.push([name, data]) },
  );
  return { writer, writes };
}

describe('a data writer', () => {
  it.each([[''], [undefined], [7]])('refuses the name %j (DATA-01)', (name) => {
    expect(() => renderHooks('root', () => useDataWriter(name as never))).toThrow(
      /^\[flue\] useDataWriter\(\) takes a name.*\(FLUE2402\)$/,
    );
  });

  it('takes a name once per render (DATA-01, AGENT-11)', () => {
    const twice = () => {
      useDataWriter('a');
      useDataWriter('a');
    };
    expect(() => renderHooks('root', twice)).toThrow(
      /^\[flue\] useDataWriter\(\): two data parts are named "a".*\(FLUE2104\)$/,
    );
  });

  it.each([
    [
      'an unknown option',
      { shema: Progress },
      'options has no field "shema"; did you mean "schema"? It takes schema.',
    ],
    ['options that are no object', [], 'options must be an object.'],
    ['an asynchronous schema', { schema: v.objectAsync({}) }, 'schema must be a synchronous Valibot schema.'],
    ['a schema of another kind', { schema: {} }, 'schema must be a synchronous Valibot schema.'],
  ])('refuses %s, and then declares nothing (DATA-01, HOOK-04)', (_, options, text) => {
    const frame = renderHooks('root', () => {
      expect(() => useDataWriter('a', options as never)).toThrow(
        `[flue] useDataWriter(): ${text} (FLUE2401)`,
      );
    });
    expect(frame.dataParts).toEqual([]);
  });

  it('hands on what its schema makes of a value (DATA-04)', () => {
    const { writer, writes } = written({ schema: Progress });
    writer({ done: 1, extra: true });
    expect(writes).toEqual([['progress', { done: 1, of: 10 }]]);
  });

  it('throws for what its schema refuses, with the part and the place (DATA-04)', () => {
    const { writer, writes } = written({ schema: Progress });
    expect(() => writer({ done: 'much' })).toThrow(
      /^\[flue\] The writer of data part "progress" got a value that its schema refuses: done: /,
    );
    expect(writes).toEqual([]);
  });

  it('hands on a detached JSON copy (DATA-04, JSON-01, JSON-02)', () => {
    const { writer, writes } = written();
    const value = { at: new Date(0), gone: undefined, list: [1] };
    writer(value);
    value.list.push(2);
    expect(writes).toEqual([['progress', { at: '1970-01-01T00:00:00.000Z', list: [1] }]]);
  });

  it('throws for undefined and for what JSON cannot hold (DATA-04)', () => {
    const { writer, writes } = written();
    expect(() => writer(undefined)).toThrow('[flue] The writer of data part "progress" got undefined.');
    expect(() => writer({ size: [Number.NaN] })).toThrow('value.size[0] is NaN');
    expect(writes).toEqual([]);
  });

  it('throws during a render and on a bare render (DATA-06, HOOK-03)', () => {
    const { writer, writes } = written();
    renderHooks('root', () => {
      expect(() => writer(1)).toThrow(/^\[flue\] The writer of data part "progress" writes.*\(FLUE2301\)$/);
    });
    let bare: ((data: unknown) => void) | undefined;
    renderHooks('bare', () => {
      bare = useDataWriter('progress');
    });
    expect(() => bare!(1)).toThrow('[flue] The writer of data part "progress" has nowhere to write');
    expect(writes).toEqual([]);
  });

  it('is typed by its schema, and takes anything without one (DATA-01)', () => {
    const typed = () => {
      expectTypeOf(useDataWriter('p', { schema: Progress })).toEqualTypeOf<
        (data: v.InferOutput<typeof Progress>) => void
      >();
      expectTypeOf(useDataWriter('q')).toEqualTypeOf<(data: unknown) => void>();
    };
    expect(() => renderHooks('root', typed)).not.toThrow();
  });
});
