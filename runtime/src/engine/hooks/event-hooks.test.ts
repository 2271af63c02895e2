import { describe, expect, expectTypeOf, it } from 'vitest';
import type {
  AgentFinishContext,
  AgentStartContext,
  ResponseFinishContext,
  ResponseStartContext,
} from './event-hooks.ts';
import { renderHooks } from './probe.test.support.ts';
import { useAgentFinish } from './use-agent-finish.ts';
import { useAgentStart } from './use-agent-start.ts';
import { useResponseFinish } from './use-response-finish.ts';
import { useResponseStart } from './use-response-start.ts';

const hooks = { useAgentStart, useAgentFinish, useResponseStart, useResponseFinish };
const named = Object.entries(hooks) as [keyof typeof hooks, (run: never) => void][];

describe.each(named)('%s', (name, hook) => {
  it('takes a function (HOOK-04)', () => {
    const frame = renderHooks('root', () => {
      expect(() => hook('now' as never)).toThrow(`[flue] ${name}() takes a function. (FLUE2402)`);
    });
    expect(frame.eventHooks[name]).toEqual([]);
  });

  it('may be called any number of times, and keeps the order of the calls (HOOK-05, HOOK-07)', () => {
    const callbacks = [() => {}, () => {}];
    const frame = renderHooks('root', () => {
      for (const callback of callbacks) hook(callback as never);
    });
    expect(frame.eventHooks[name]).toEqual(callbacks);
  });

  it('throws outside a render, and in a delegate with what to do instead (HOOK-01, HOOK-08)', () => {
    expect(() => hook((() => {}) as never)).toThrow(`[flue] ${name}() was called outside an agent function.`);
    expect(() => renderHooks('subagent', () => hook((() => {}) as never))).toThrow(
      new RegExp(`^\\[flue\\] ${name}\\(\\) is not available to a delegate\\. .* parent agent instead`),
    );
  });
});

describe('the contexts', () => {
  it('hold what each callback may use, and no more (SEAM-05, RESP-03)', () => {
    const typed = () => {
      useAgentStart((context) => void expectTypeOf(context).toEqualTypeOf<AgentStartContext>());
      useAgentFinish(async (context) => void expectTypeOf(context).toEqualTypeOf<AgentFinishContext>());
      useResponseStart((context) => {
        expectTypeOf(context).toEqualTypeOf<ResponseStartContext>();
      });
      useResponseFinish((context) => {
        expectTypeOf(context).toEqualTypeOf<ResponseFinishContext>();
        return { calls: context.response.toolCalls.length };
      });
    };
    expect(() => renderHooks('root', typed)).not.toThrow();
    expectTypeOf<ResponseStartContext>().not.toHaveProperty('response');
    expectTypeOf<ResponseFinishContext>().not.toHaveProperty('append');
    expectTypeOf<AgentStartContext>().not.toHaveProperty('metadata');
  });
});
