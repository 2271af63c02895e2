import { describe, expect, it } from 'vitest';
import { HOOKS, type HookName, type HookRow } from '../../contract/hook-table.ts';
import { assertWritable, type Frame, frameOf, isRendering, openFrame } from './frame.ts';
import { noInputs, renderHooks } from './probe.test.support.ts';
import { useDelivery } from './use-delivery.ts';
import { useInitialData } from './use-initial-data.ts';
import { useInstruction } from './use-instruction.ts';
import { useModel } from './use-model.ts';
import { usePersistentState } from './use-persistent-state.ts';
import { useSandbox } from './use-sandbox.ts';
import { useSkill } from './use-skill.ts';
import { useSubagent } from './use-subagent.ts';
import { useTool } from './use-tool.ts';

const tool = (name: string) => ({ name, description: 'd', run: () => null });

/** A lawful call of each hook that stands; `name` only where its row has names. */
const calls: { readonly [H in HookName]?: (name: string) => unknown } = {
  useModel: () => useModel('offline/demo'),
  useSandbox: () => useSandbox({ createSessionEnv: () => Promise.reject(new Error('never asked')) }),
  useTool: (name) => useTool(tool(name)),
  useSkill: (name) => useSkill({ name, description: 'd', instructions: 'i' }),
  useSubagent: (name) => useSubagent({ name, description: 'd', agent: () => {} }),
  useInstruction: () => useInstruction('text'),
  usePersistentState: (name) => usePersistentState(name, 0),
  useInitialData: () => useInitialData(),
  useDelivery: () => useDelivery(),
};
const hooks = Object.entries(calls) as [HookName, (name: string) => unknown][];
const inputs = { delivery: { kind: 'user', body: 'hi' } } as const;

describe('every hook', () => {
  it.each(hooks)('%s throws outside a render (HOOK-01)', (hook, call) => {
    const message = `[flue] ${hook}() was called outside an agent function.`;
    expect(() => call('n')).toThrow(message);
    expect(() => call('n')).toThrow(/\(FLUE2001\)$/);
  });

  it.each(hooks)('%s throws after an await (HOOK-01)', async (hook, call) => {
    let later: Promise<unknown> = Promise.resolve();
    renderHooks('bare', () => {
      later = Promise.resolve().then(() => call('n'));
    });
    await expect(later).rejects.toThrow(`[flue] ${hook}() was called outside an agent function.`);
  });

  it.each(hooks)('%s keeps the bounds of its row within one render (HOOK-05)', (hook, call) => {
    const { perRender }: HookRow = HOOKS[hook];
    const twice = (second: string) => () =>
      renderHooks(
        'bare',
        () => {
          call('n');
          call(second);
        },
        inputs,
      );
    if (perRender === 'exactly-once' || perRender === 'at-most-once')
      expect(twice('m')).toThrow('twice in one render');
    else expect(twice('m')).not.toThrow();
    if (perRender === 'unique-names') expect(twice('n')).toThrow('"n"');
    if (perRender === 'any') expect(twice('n')).not.toThrow();
  });

  it.each(hooks)('%s does in a subagent frame what its row says (HOOK-05, HOOK-08)', (hook, call) => {
    const { subagent }: HookRow = HOOKS[hook];
    const render = () => renderHooks('subagent', () => call('n'), inputs);
    if (subagent === 'works') expect(render).not.toThrow();
    else
      expect(render).toThrow(
        `[flue] ${hook}() is not available to a delegate. ${subagent.throws} (FLUE2303)`,
      );
  });
});

describe('custom hooks', () => {
  const useGreeting = () => useInstruction('hello');
  const useKit = () => {
    useGreeting();
    for (const name of ['a', 'b']) useTool(tool(name));
  };

  it('record as if the body had called their hooks, at any depth (HOOK-02)', () => {
    const { instructions, tools } = renderHooks('bare', () => {
      useTool(tool('first'));
      useKit();
      useInstruction('bye');
    });
    expect(tools.map(({ name }) => name)).toEqual(['first', 'a', 'b']);
    expect(instructions).toBe('hello\n\nbye');
  });

  it('count for uniqueness (HOOK-02, AGENT-11)', () => {
    expect(() =>
      renderHooks('bare', () => {
        useKit();
        useTool(tool('b'));
      }),
    ).toThrow('"b"');
  });

  it('throw at their first hook outside a render (HOOK-02)', () => {
    expect(useKit).toThrow('[flue] useInstruction() was called outside an agent function.');
  });
});

describe('a hook call that throws', () => {
  it('leaves no half declaration to code that catches it (HOOK-04)', () => {
    const attempt = (call: () => void) => {
      try {
        call();
      } catch {}
    };
    const rendered = renderHooks('bare', () => {
      attempt(() => useModel('a/b', { effort: 'low' } as never));
      useModel('c/d');
      attempt(() => useTool({ ...tool('t'), extra: 1 } as never));
      useTool(tool('t'));
      attempt(() => useTool(tool('t')));
      attempt(() => useInstruction(' '));
      usePersistentState('s', 0);
      attempt(() => usePersistentState('s', 1));
    });
    expect(rendered.model?.specifier).toBe('c/d');
    expect(rendered.tools).toHaveLength(1);
    expect(rendered.states).toEqual(['s']);
    expect(rendered.instructions).toBeUndefined();
  });
});

describe('writers', () => {
  it('throw while any render is on the stack (HOOK-03)', () => {
    const frame: Frame = openFrame('root', noInputs);
    expect(() => assertWritable(frame, 'The writer')).not.toThrow();
    renderHooks('bare', () => {
      expect(isRendering()).toBe(true);
      expect(() => assertWritable(frame, 'The writer')).toThrow(/^\[flue\] The writer writes.*\(FLUE2301\)$/);
    });
  });

  it('throw on a bare render, also after it (HOOK-03)', () => {
    expect(() => assertWritable(openFrame('bare', noInputs), 'The writer')).toThrow('no instance behind it');
  });
});

describe('two copies of the package', () => {
  it('share the frame in progress', () => {
    const shared = Object.getOwnPropertySymbols(globalThis).find(
      (key) => key.description === '@flue/runtime.frame',
    );
    renderHooks('bare', () => {
      expect((globalThis as never)[shared as never]).toBe(frameOf('useTool'));
    });
  });
});
