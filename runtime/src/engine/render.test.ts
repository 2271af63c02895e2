import { describe, expect, it } from 'vitest';
import type { Agent } from './agent.ts';
import type { FrameInputs } from './hooks/frame.ts';
import { StateBuffer } from './hooks/state-buffer.ts';
import { useInstruction } from './hooks/use-instruction.ts';
import { usePersistentState } from './hooks/use-persistent-state.ts';
import { useTool } from './hooks/use-tool.ts';
import { type RenderRequest, renderFrame } from './render.ts';

const inputs: FrameInputs = {
  initialData: undefined,
  delivery: undefined,
  readState: () => ({ found: false, value: undefined }),
  writeState: () => {},
  writeData: () => {},
  dispatch: () => Promise.reject(new Error('nobody to send to')),
};

function render(agent: Agent, more: Partial<RenderRequest> = {}) {
  return renderFrame({ agent, kind: 'bare', inputs, ...more });
}

describe('the instruction document', () => {
  it('is the returned string, then each instruction in call order, joined by a blank line (AGENT-05)', () => {
    const { instructions } = render(() => {
      useInstruction('first\n');
      useInstruction('second');
      return 'returned ';
    });
    expect(instructions).toBe('returned \n\nfirst\n\n\nsecond');
  });

  it('skips an empty returned string, and is absent with no part (AGENT-05)', () => {
    expect(render(() => '').instructions).toBeUndefined();
    expect(render(() => {}).instructions).toBeUndefined();
    expect(
      render(() => {
        useInstruction('only');
        return '';
      }).instructions,
    ).toBe('only');
  });
});

describe('what an agent function may return', () => {
  it.each([[null], [1], [false], [{}]])('refuses %j (AGENT-04)', (value) => {
    expect(() => render((() => value) as never)).toThrow(/^\[flue\] .*\(FLUE2305\)$/);
  });

  it('refuses a promise (AGENT-02)', () => {
    expect(() => render((async () => 'x') as never)).toThrow('[flue] Agent functions must be synchronous.');
    // biome-ignore lint/suspicious/noThenProperty: any thenable is what is tested
    expect(() => render((() => ({ then() {} })) as never)).toThrow(
      '[flue] Agent functions must be synchronous.',
    );
  });

  it.each([
    ['a generator', function* () {}],
    ['an asynchronous generator', async function* () {}],
  ])('refuses %s under the rule for it (AGENT-04, ERR-12)', (_, agent) => {
    expect(() => render(agent as never)).toThrow(
      /^\[flue\] Agent functions must be synchronous\. .*generator.*\(FLUE1006\)$/,
    );
  });

  it('observes the rejection of a returned promise (AGENT-03)', async () => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown) => unhandled.push(reason);
    process.on('unhandledRejection', note);
    expect(() => render((() => Promise.reject(new Error('late'))) as never)).toThrow();
    await new Promise((resolve) => setTimeout(resolve, 0));
    process.off('unhandledRejection', note);
    expect(unhandled).toEqual([]);
  });
});

describe('a render', () => {
  it('never nests (AGENT-09)', () => {
    const inner: Agent = () => 'inner';
    const outer: Agent = () => render(inner).instructions;
    expect(() => render(outer)).toThrow('[flue] Re-entrant agent render.');
  });

  it('starts clean after one that threw (AGENT-10)', () => {
    const broken: Agent = () => {
      useInstruction('left over');
      throw new Error('broken');
    };
    expect(() => render(broken)).toThrow('broken');
    expect(render(() => 'clean').instructions).toBe('clean');
  });

  it('reads the world anew each time (AGENT-06)', () => {
    let stored = 1;
    const agent: Agent = () => `n is ${usePersistentState('n', 0)[0]}`;
    const live = { ...inputs, readState: () => ({ found: true, value: stored }) };
    expect(render(agent, { inputs: live }).instructions).toBe('n is 1');
    stored = 2;
    expect(render(agent, { inputs: live }).instructions).toBe('n is 2');
  });

  it('has no effect of its own, however often it runs (AGENT-08)', () => {
    const buffer = new StateBuffer(() => ({ found: false, value: undefined }));
    const live = {
      ...inputs,
      readState: (name: string) => buffer.read(name),
      writeState: (name: string, value: unknown) => buffer.write(name, value),
    };
    const agent: Agent = () => `n is ${usePersistentState('n', 1)[0]}`;
    const renders = [1, 2, 3].map(() => render(agent, { inputs: live }));
    expect(renders[0]).toEqual(renders[2]);
    expect(buffer.take()).toEqual([]);
  });

  it('keeps its own closures: a call answers for the render that mounted its tool (TCALL-19)', () => {
    let version = 1;
    const agent: Agent = () => {
      const own = version;
      useTool({ name: 'version', description: 'd', run: () => own });
    };
    const first = render(agent);
    version = 2;
    const second = render(agent);
    const context = { toolCallId: 'c1', log: { info() {}, warn() {}, error() {} } };
    expect([first, second].map(({ tools }) => tools[0]?.run(context))).toEqual([1, 2]);
  });

  it('hands a delegate no arguments (AGENT-13)', () => {
    let count = -1;
    const agent = function (this: unknown) {
      // biome-ignore lint/complexity/noArguments: the number of arguments is what is tested
      count = arguments.length;
    } as Agent;
    render(agent, { kind: 'subagent', id: 'i1' });
    expect(count).toBe(0);
  });

  it('gives the instance id, and throws where there is none (AGENT-14, AGENT-15)', () => {
    expect(render(({ id }) => id, { id: 'order-42' }).instructions).toBe('order-42');
    expect(() => render(({ id }) => id)).toThrow('[flue] props.id');
    expect(render(() => 'no id read').instructions).toBe('no id read');
  });

  it('needs a model when an instance stands behind it (MODEL-01)', () => {
    expect(() => render(() => 'x', { kind: 'root', name: 'Support' })).toThrow(
      /^\[flue\] Agent "Support" requires a model\. Call useModel\('provider-id\/model-id'\) in the agent function\. \(FLUE2101\)$/,
    );
  });

  it('lists tools in call order (MOUNT-02)', () => {
    const tool = (name: string) => ({ name, description: 'd', run: () => null });
    const { tools } = render(() => {
      useTool(tool('b'));
      useTool(tool('a'));
    });
    expect(tools.map(({ name }) => name)).toEqual(['b', 'a']);
  });
});
