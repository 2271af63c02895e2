import { describe, expect, expectTypeOf, it } from 'vitest';
import { bufferOver, hookValue, renderHooks } from './probe.test.support.ts';
import type { StateBuffer } from './state-buffer.ts';
import { type StateSetter, usePersistentState } from './use-persistent-state.ts';

const over = (buffer: StateBuffer) => ({
  readState: (name: string) => buffer.read(name),
  writeState: (name: string, value: unknown) => buffer.write(name, value),
});

describe('the value', () => {
  it.each([[null], [false], [0], ['']])('is a stored %j, not the default (STATE-02)', (stored) => {
    const buffer = bufferOver({ n: stored });
    expect(hookValue(() => usePersistentState<unknown>('n', 'default'), over(buffer))[0]).toBe(stored);
  });

  it('is the default where nothing was written, and the default is never stored (STATE-02)', () => {
    const buffer = bufferOver();
    expect(hookValue(() => usePersistentState('n', 5), over(buffer))[0]).toBe(5);
    expect(hookValue(() => usePersistentState('n'), over(buffer))[0]).toBeUndefined();
    expect(buffer.take()).toEqual([]);
  });

  it('is a copy: mutating it changes nothing, and setting it then is a write (STATE-03)', () => {
    const buffer = bufferOver({ list: ['a'] });
    const [list, setList] = hookValue(() => usePersistentState<string[]>('list', []), over(buffer));
    list.push('b');
    expect(buffer.read('list').value).toEqual(['a']);
    setList(list);
    expect(buffer.take()).toEqual([{ name: 'list', value: ['a', 'b'] }]);
  });

  it('starts each render from the default as written, not as mutated (STATE-03)', () => {
    const DEFAULT: string[] = [];
    const buffer = bufferOver();
    hookValue(() => usePersistentState('list', DEFAULT)[0].push('x'), over(buffer));
    expect(hookValue(() => usePersistentState('list', DEFAULT)[0], over(buffer))).toEqual([]);
  });

  it('follows a write at the next render, not in the one that holds it (STATE-07)', () => {
    const buffer = bufferOver({ n: 1 });
    const [before, set] = hookValue(() => usePersistentState('n', 0), over(buffer));
    set(2);
    expect(before).toBe(1);
    expect(hookValue(() => usePersistentState('n', 0)[0], over(buffer))).toBe(2);
  });

  it('is untouched by a render that skips its name (STATE-01)', () => {
    const buffer = bufferOver({ n: 1 });
    renderHooks('root', () => {}, over(buffer));
    expect(buffer.read('n')).toEqual({ found: true, value: 1 });
    expect(buffer.take()).toEqual([]);
  });
});

describe('the name', () => {
  it.each([[''], [undefined], [1]])('cannot be %j (STATE-01)', (name) => {
    expect(() => renderHooks('root', () => usePersistentState(name as never, 0))).toThrow(
      /^\[flue\] usePersistentState\(\) takes a name.*\(FLUE2402\)$/,
    );
  });

  it('is taken once per render (STATE-01, AGENT-11)', () => {
    const twice = () => {
      usePersistentState('n', 0);
      usePersistentState('n', 0);
    };
    expect(() => renderHooks('root', twice)).toThrow(
      /^\[flue\] usePersistentState\(\): two states are named "n" in one render.*\(FLUE2104\)$/,
    );
  });
});

describe('the setter', () => {
  it('gives an updater the value in force, or the default (STATE-05)', () => {
    const buffer = bufferOver();
    const [, set] = hookValue(() => usePersistentState('n', 10), over(buffer));
    set((previous) => previous + 1);
    set((previous) => previous + 1);
    expect(buffer.read('n').value).toBe(12);
  });

  it('gives an updater null where null is stored (STATE-02, STATE-05)', () => {
    const buffer = bufferOver({ n: null });
    const [, set] = hookValue(() => usePersistentState<number | null>('n', 10), over(buffer));
    set((previous) => (previous === null ? 1 : previous));
    expect(buffer.read('n').value).toBe(1);
  });

  it('throws during a render and on a bare render (STATE-10, HOOK-03)', () => {
    const buffer = bufferOver();
    const [, set] = hookValue(() => usePersistentState('n', 0), over(buffer));
    renderHooks('root', () => {
      expect(() => set(1)).toThrow(/^\[flue\] The setter of state "n" writes.*\(FLUE2301\)$/);
    });
    let bare: StateSetter<number> | undefined;
    renderHooks('bare', () => {
      bare = usePersistentState('n', 0)[1];
    });
    expect(() => bare?.(1)).toThrow('[flue] The setter of state "n" has nowhere to write');
    expect(buffer.take()).toEqual([]);
  });

  it('is typed by the default, and by the parameter without one (STATE-11)', () => {
    const typed = () => {
      expectTypeOf(usePersistentState('n', 0)).toEqualTypeOf<[number, StateSetter<number>]>();
      expectTypeOf(usePersistentState<string>('s')).toEqualTypeOf<
        [string | undefined, StateSetter<string | undefined>]
      >();
      expectTypeOf(usePersistentState('u')[0]).toEqualTypeOf<unknown>();
    };
    expect(() => renderHooks('root', typed)).not.toThrow();
  });
});
