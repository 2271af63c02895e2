import { afterEach, describe, expect, it } from 'vitest';
import { init } from '../../app/init.ts';
import { startTest, type TestRuntime } from '../../app/runtime.test.support.ts';
import { scriptModel } from '../../testing/script-model.ts';
import type { FlueObservation } from './event.ts';
import { hear, ofEvent, silence } from './events.test.support.ts';
import { Boss, call } from './traced-agents.test.support.ts';

let flue: TestRuntime | undefined;
let heard: FlueObservation[] = [];
afterEach(async () => {
  await flue?.stop();
  flue = undefined;
  silence();
});

describe('a task', () => {
  it('is told within its own conversation, and by the call that asked for it (EVT-05, EVT-10)', async () => {
    heard = hear();
    scriptModel({
      steps: [
        call('task', { agent: 'helper', prompt: 'Count.' }),
        { text: 'Three.' },
        { text: 'It is three.' },
      ],
    });
    flue = await startTest({ agents: [Boss] });
    await init(Boss, { id: 'a' }).dispatch('How many?');
    const [start] = ofEvent(heard, 'task_start');
    const { taskId } = start!;
    expect(start).toMatchObject({
      prompt: 'Count.',
      agent: 'helper',
      toolCallId: ofEvent(heard, 'tool_start')[0]!.toolCallId,
      conversationId: taskId,
      session: `task:${taskId}`,
      parentSession: 'default',
    });
    expect(ofEvent(heard, 'task')).toMatchObject([
      {
        taskId,
        agent: 'helper',
        isError: false,
        result: 'Three.',
        agentInput: 'Count.',
        agentOutput: 'Three.',
      },
    ]);
    const inside = heard.filter((event) => event.taskId === taskId).map(({ type }) => type);
    expect(inside).toEqual([
      'message_start',
      'message_end',
      'task_start',
      'turn_start',
      'turn_request',
      'message_start',
      'text_delta',
      'turn',
      'message_end',
      'turn_messages',
      'task',
    ]);
    // Not a message of the response that delegated.
    expect(ofEvent(heard, 'agent_end')[0]!.messages).toHaveLength(4);
  });

  it('that fails says with what, and the response goes on (EVT-05, OBS-01)', async () => {
    heard = hear();
    scriptModel({
      steps: [
        call('task', { agent: 'helper', prompt: 'Count.' }),
        { error: { message: 'no credit', transient: false } },
        { text: 'No idea.' },
      ],
    });
    flue = await startTest({ agents: [Boss] });
    await init(Boss, { id: 'a' }).dispatch('How many?');
    expect(ofEvent(heard, 'task')).toMatchObject([
      { isError: true, errorInfo: { type: 'operation_failed', stack: expect.any(String) } },
    ]);
    expect(ofEvent(heard, 'submission_settled')).toMatchObject([{ outcome: 'completed' }]);
  });
});
