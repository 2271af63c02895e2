import { init, useModel, useTool } from '@flue/runtime';
import { type AgentAccessor, type AgentContract, createConnect } from '@flue/runtime/client';
import { start } from '@flue/runtime/node';
import { createAgentRouter } from '@flue/runtime/routing';
import { collectEvents, scriptModel } from '@flue/runtime/testing';
import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';

/** Evals as an application would write them: ordinary tests, and nothing but published entries. */

function Clerk() {
  useModel('offline/script');
  useTool({ name: 'stock', description: 'Tells what is there.', run: () => ({ ink: 3 }) });
  return 'Answer about the stock.';
}

const look = { toolCalls: [{ name: 'stock', arguments: {} }] };

const connect = createConnect<{ clerk: AgentAccessor<AgentContract> }, 'clerk'>({
  clerk: { identity: 'Clerk', path: '/clerk' },
});

describe('an eval', () => {
  it('starts the agent in its own process and judges what it did and said (EVAL-01, EVAL-03)', async () => {
    scriptModel({ steps: [look, { text: 'Three bottles of ink.' }] });
    const flue = await start({ agents: [Clerk] });
    try {
      const { value, toolCalls } = await collectEvents(() => init(Clerk, { id: 'a' }).dispatch('Any ink?'));
      expect(value.text).toContain('ink');
      expect(toolCalls).toMatchObject([{ name: 'stock', arguments: {}, result: { ink: 3 } }]);
    } finally {
      await flue.stop();
    }
  });

  it('goes over HTTP with the client, one after another in one process (EVAL-01, EVAL-05)', async () => {
    for (const answer of ['Three.', 'Four.']) {
      const script = scriptModel({ steps: [look, { text: answer }] });
      const flue = await start({ agents: [Clerk] });
      const app = new Hono().route('/clerk', createAgentRouter(Clerk));
      const { clerk } = connect({
        baseUrl: 'http://flue.test',
        fetch: async (url, options) => app.request(url, options),
      });
      try {
        const { toolCalls, replies } = await collectEvents(() => clerk.at('a').dispatch('Any ink?'));
        expect(toolCalls.map(({ name }) => name)).toEqual(['stock']);
        expect(replies.map(({ text }) => text)).toEqual([answer]);
        // What ran before left nothing behind: its conversation is gone with its runtime.
        expect(script.requests[0]!.messages).toHaveLength(1);
      } finally {
        await flue.stop();
      }
    }
  });
});
