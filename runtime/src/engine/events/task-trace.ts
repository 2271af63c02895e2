import type { ObservationDetails } from './event.ts';
import type { Events } from './events.ts';

export interface TracedTask {
  readonly taskId: string;
  /** id of the call that asked for it */
  readonly call: string;
  /** name of the delegate */
  readonly agent: string;
  readonly prompt: string;
}

/** A task, from its first turn in this attempt to its one end (EVT-05). `events` are of its own conversation. */
export async function traceTask(
  events: Events,
  { taskId, call, agent, prompt }: TracedTask,
  work: () => Promise<string>,
): Promise<string> {
  const started = events.now();
  events.emit({ type: 'task_start', taskId, prompt, agent, toolCallId: call });
  const ended = (rest: { isError: boolean; result?: string } & ObservationDetails) => {
    const durationMs = Math.max(0, Math.round(events.now() - started));
    events.emit({ type: 'task', taskId, agent, durationMs, agentInput: prompt, ...rest });
  };
  try {
    const result = await work();
    ended({ isError: false, result, agentOutput: result });
    return result;
  } catch (error) {
    ended({ isError: true, errorInfo: events.errorInfo(error) });
    throw error;
  }
}
