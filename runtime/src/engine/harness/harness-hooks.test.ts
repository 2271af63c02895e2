import { afterEach, describe, expect, it } from 'vitest';
import { init } from '../../app/init.ts';
import { until } from '../../app/runtime.test.support.ts';
import type { ScriptStep } from '../../testing/script-model.ts';
import type { AgentFunction } from '../agent.ts';
import { hear, ofEvent, silence } from '../events/events.test.support.ts';
import type { AgentFinishContext, AgentStartContext } from '../hooks/event-hooks.ts';
import { useAgentFinish } from '../hooks/use-agent-finish.ts';
import { useAgentStart } from '../hooks/use-agent-start.ts';
import { useDispatchMessage } from '../hooks/use-dispatch-message.ts';
import { useModel } from '../hooks/use-model.ts';
import { usePersistentState } from '../hooks/use-persistent-state.ts';
import { useTool } from '../hooks/use-tool.ts';
import type { FlueHarness } from '../tools/tool-definition.ts';
import {
  ask,
  boot,
  call,
  failureOf,
  isScratch,
  ofType,
  play,
  records,
  scratchRecords,
  textOf,
} from './harness.test.support.ts';

afterEach(silence);

type Start = (context: AgentStartContext) => void | Promise<void>;
type Finish = (context: AgentFinishContext) => void | Promise<void>;

function desk(o: { start?: Start[]; finish?: Finish; more?: () => void }): AgentFunction<{ id: string }> {
  return function Desk() {
    useModel('offline/script');
    for (const run of o.start ?? []) useAgentStart(run);
    if (o.finish) useAgentFinish(o.finish);
    o.more?.();
    return 'Be a desk.';
  };
}

/** The main conversation only talks. */
const talk = (scratch: readonly (ScriptStep | string)[], main: readonly ScriptStep[] = []) =>
  play(scratch, main);
const opened = async () => ofType(await scratchRecords(), 'conversation_opened');

describe('the harness of a hook', () => {
  it('is named as the hook; its prompt ends before the first turn of the message (HARN-02, HARN-14, SEAM-04)', async () => {
    const script = talk(['Urgent.']);
    const names: string[] = [];
    await ask(
      desk({
        start: [
          async ({ harness, append }) => {
            names.push(harness.name);
            const { text } = await harness.prompt('Judge it.');
            append({ kind: 'signal', type: 'judged', body: text });
          },
        ],
        finish: ({ harness }) => void names.push(harness.name),
      }),
    );
    expect(names).toEqual(['useAgentStart', 'useAgentFinish']);
    expect(script.requests.map(isScratch)).toEqual([true, false]);
    expect(script.requests[0]?.systemPrompt).toBe(script.requests[1]?.systemPrompt);
    expect(script.requests[1]?.messages.map(textOf)).toEqual(['Hi', expect.stringContaining('Urgent.')]);
    expect(await opened()).toMatchObject([{ conv: 1, kind: 'harness', hook: 'useAgentStart' }]);
    // Linked to its hook, and closed with the seam.
    const types = (await records()).map((record) => record.type);
    expect(types.indexOf('conversation_opened', 1)).toBeLessThan(types.indexOf('seam_closed'));
  });

  it('is another one for each callback, and of each its own conversation (SEAM-04, START-02)', async () => {
    const script = talk([
      { text: 'A.', delayMs: 200 },
      { text: 'B.', delayMs: 200 },
    ]);
    const said: string[] = [];
    const seen = new Set<FlueHarness>();
    const judge =
      (text: string): Start =>
      async (context) => {
        seen.add(context.harness).add(context.harness);
        said.push((await context.harness.prompt(text)).text);
      };
    await ask(desk({ start: [judge('One.'), judge('Two.')] }));
    expect(said.toSorted()).toEqual(['A.', 'B.']);
    expect(seen.size).toBe(2);
    const asked = script.requests.filter(isScratch).map(({ messages }) => messages.map(textOf));
    expect(asked.toSorted()).toEqual([['One.'], ['Two.']]);
    expect((await opened()).map((record) => ('hook' in record ? record.hook : ''))).toEqual([
      'useAgentStart',
      'useAgentStart',
    ]);
  });

  it('closes when its callback settles, whatever still runs (SEAM-04, HARN-03)', async () => {
    talk([{ text: 'Never.', delayMs: 3_600_000 }]);
    let kept: AgentStartContext | undefined;
    let running: Promise<unknown> | undefined;
    const reply = await ask(
      desk({
        start: [
          async (context) => {
            kept = context;
            running = failureOf(context.harness.prompt('Slow.'));
            await until(async () => ofType(await scratchRecords(), 'user_message').length > 0);
          },
        ],
      }),
    );
    expect(reply.text).toBe('Done.');
    expect(await running).toMatchObject({ name: 'AbortError' });
    expect(await failureOf(kept!.harness.prompt('x'))).toMatchObject({
      type: 'harness_closed',
      message: 'harness.prompt was used after its useAgentStart() callback had settled.',
    });
  });

  it('is closed from the start when a callback asks for it only after it has settled (SEAM-04)', async () => {
    talk([]);
    let kept: AgentStartContext | undefined;
    const keep: Start = (context) => {
      kept = context;
    };
    await ask(desk({ start: [keep] }));
    expect(() => kept!.harness.sandbox).toThrow('had settled');
    expect(await opened()).toEqual([]);
  });

  it('fails the submission only through what its callback lets through (HARN-10, SEAM-03)', async () => {
    talk([{ error: { message: 'No.', transient: false } }, { error: { message: 'No.', transient: false } }]);
    const caught = desk({ start: [async ({ harness }) => void (await failureOf(harness.prompt('x')))] });
    expect((await ask(caught)).text).toBe('Done.');
  });

  it('passes a failure on that its callback does not catch (SEAM-03)', async () => {
    talk([{ error: { message: 'No.', transient: false } }]);
    const failure = await failureOf(
      ask(desk({ start: [async ({ harness }) => void (await harness.prompt('x'))] })),
    );
    expect(failure).toMatchObject({
      outcome: 'failed',
      cause: { type: 'operation_failed', meta: { category: 'hook', hook: 'useAgentStart', hookIndex: 0 } },
    });
    expect(ofType(await records(), 'submission_settled')).toHaveLength(1);
  });

  it('checks an answer at the end and lets the model go on (FIN-02, HARN-04)', async () => {
    const script = talk(['Add a source.', 'Good.'], [{ text: 'Draft.' }, { text: 'Final.' }]);
    const reply = await ask(
      desk({
        async finish({ harness, append, response }) {
          const { text } = await harness.prompt(`Check: ${response.text}`);
          if (text !== 'Good.') append({ kind: 'signal', type: 'check', body: text });
        },
      }),
    );
    expect(reply.text).toBe('Final.');
    const checked = script.requests.filter(isScratch).map(({ messages }) => messages.map(textOf));
    // The second evaluation has a harness of its own, which knows nothing of the first.
    expect(checked).toEqual([['Check: Draft.'], ['Check: Final.']]);
    expect(await opened()).toMatchObject([{ hook: 'useAgentFinish' }, { hook: 'useAgentFinish' }]);
  });

  it('runs no hook for a prompt, nor for what its tools send (SEAM-07)', async () => {
    talk(['Judged.']);
    let starts = 0;
    await ask(
      desk({
        start: [
          async ({ harness }) => {
            starts += 1;
            await harness.prompt('Judge.');
          },
        ],
      }),
    );
    expect(starts).toBe(1);
  });

  it("keeps state that the prompt's tools write, and sends in their name (STATE-08, DMSG-01)", async () => {
    talk([call('note'), 'Noted.']);
    let sent: unknown;
    const agent = desk({
      start: [async ({ harness }) => void (harness.name && (await harness.prompt('Note it.')))],
      more() {
        const [, setNoted] = usePersistentState('noted', 0);
        const send = useDispatchMessage();
        useTool({
          name: 'note',
          description: 'Notes.',
          async run() {
            setNoted(1);
            sent ??= await send('And this.');
          },
        });
      },
    });
    await ask(agent);
    expect(ofType(await records(), 'state_written')).toMatchObject([{ name: 'noted', value: 1 }]);
    expect(sent).toMatchObject({ dispatchId: expect.any(String) });
  });

  it('tells events with the name of the harness, in an operation of its own (HARN-02, EVT-05, USAGE-05)', async () => {
    const heard = hear();
    talk([call('note'), { text: 'Noted.', usage: { totalTokens: 12 } }]);
    await ask(
      desk({
        start: [
          async ({ harness, log }) => {
            log.info('mine');
            await harness.prompt('Note it.');
          },
        ],
        more: () =>
          useTool({ name: 'note', description: 'Notes.', run: ({ log }) => void log.info('from the tool') }),
      }),
    );
    const own = heard.filter((event) => event.harness !== undefined);
    expect(new Set(own.map(({ harness }) => harness))).toEqual(new Set(['useAgentStart']));
    expect(own.map(({ type }) => type)).toEqual([
      ...['operation_start', 'agent_start', 'message_start', 'message_end'],
      ...[
        'turn_start',
        'turn_request',
        'message_start',
        'toolcall_delta',
        'turn',
        'message_end',
        'tool_start',
        'log',
      ],
      ...['message_start', 'message_end', 'tool', 'turn_messages'],
      ...[
        'turn_start',
        'turn_request',
        'message_start',
        'text_delta',
        'turn',
        'message_end',
        'turn_messages',
      ],
      ...['agent_end', 'operation', 'idle'],
    ]);
    const [start] = ofEvent(own, 'operation_start');
    const [end] = ofEvent(own, 'operation');
    expect(end).toMatchObject({
      operationId: start?.operationId,
      operationKind: 'prompt',
      isError: false,
      agentInput: 'Note it.',
      result: { text: 'Noted.' },
      usage: { totalTokens: 12 },
      session: expect.stringMatching(/^harness:conv_.*\.1$/),
      parentSession: 'default',
    });
    expect(own.every((event) => event.taskId === undefined)).toBe(true);
    const lines = ofEvent(heard, 'log').filter(({ attributes }) => attributes?.hook ?? attributes?.tool);
    expect(lines).toMatchObject([
      { message: 'mine', attributes: { hook: 'useAgentStart', hookIndex: 0 } },
      { message: 'from the tool', harness: 'useAgentStart', attributes: { tool: 'note' } },
    ]);
    expect(ofEvent(heard, 'operation_start')).toHaveLength(2);
    expect(ofEvent(heard, 'operation')).toHaveLength(2);
  });

  it('ends with the submission when that is stopped, once (HARN-03, ABT-04, EVT-05)', async () => {
    const heard = hear(['operation_start', 'operation']);
    talk([{ text: 'Never.', delayMs: 3_600_000 }]);
    let running: Promise<unknown> | undefined;
    const agent = desk({
      start: [
        ({ harness }) => {
          running = failureOf(harness.prompt('Slow.'));
          return new Promise(() => {});
        },
      ],
    });
    const flue = await boot(agent);
    const handle = init(agent, { id: 'a' });
    const outcome = failureOf(handle.dispatch('Hi'));
    await until(() => running !== undefined);
    await until(async () => ofType(await scratchRecords(), 'user_message').length > 0);
    await handle.abort();
    expect(await flue.during(outcome)).toMatchObject({ outcome: 'aborted' });
    expect(await running).toMatchObject({ name: 'AbortError' });
    expect(ofType(await records(), 'submission_settled')).toHaveLength(1);
    expect(ofEvent(heard, 'operation')).toMatchObject([{ isError: true }, { isError: true }]);
  });
});
