import { addUsage, NO_USAGE } from '../conversation/add-usage.ts';
import type { ErrorInfo, FlueObservation } from '../engine/events/event.ts';
import { observe } from '../engine/events/observe.ts';
import type { PromptUsage } from '../ports/model-shapes.ts';

export interface CollectedToolCall {
  readonly id: string;
  readonly name: string;
  /** as the model sent them: parsed, or the text where that is no JSON */
  readonly arguments: unknown;
  /** of a call that succeeded */
  readonly result?: unknown;
  /** of a call that failed; one that was interrupted has neither */
  readonly error?: ErrorInfo;
}

export interface CollectedReply {
  readonly submissionId: string;
  readonly agentName: string;
  readonly instanceId: string;
  readonly text: string;
}

export interface CollectedEvents<T> {
  /** what the function returned */
  readonly value: T;
  /** all of them, as `observe()` delivers them */
  readonly events: readonly FlueObservation[];
  /** in the order in which they began, those of delegates included */
  readonly toolCalls: readonly CollectedToolCall[];
  /** of every model call; zeros when there was none */
  readonly usage: PromptUsage;
  /** of every submission that completed, in the order of their settlement */
  readonly replies: readonly CollectedReply[];
}

/**
 * Runs `work` and tells what agents of this process did meanwhile (EVAL-03). Await in it what is to be told; a rejection
 * is passed on.
 */
export async function collectEvents<T>(work: () => T | Promise<T>): Promise<CollectedEvents<T>> {
  const events: FlueObservation[] = [];
  const stop = observe((event) => void events.push(event));
  try {
    const value = await work();
    return {
      value,
      events,
      toolCalls: toolCallsOf(events),
      usage: usageOf(events),
      replies: repliesOf(events),
    };
  } finally {
    stop();
  }
}

function toolCallsOf(events: readonly FlueObservation[]): CollectedToolCall[] {
  const ends = new Map(
    events.flatMap((event) => (event.type === 'tool' ? [[callKey(event), event] as const] : [])),
  );
  return events.flatMap((event) => {
    if (event.type !== 'tool_start') return [];
    const end = ends.get(callKey(event));
    return [
      {
        id: event.toolCallId,
        name: event.toolName,
        arguments: event.args,
        ...(end && !end.isError && { result: end.effectiveResult }),
        ...(end?.errorInfo && { error: end.errorInfo }),
      },
    ];
  });
}

/** Ids of calls are unique in one conversation. */
function callKey({ agentName, instanceId, toolCallId }: FlueObservation & { toolCallId: string }): string {
  return JSON.stringify([agentName, instanceId, toolCallId]);
}

/** Turns are the one level that is summed (EVT-08). */
function usageOf(events: readonly FlueObservation[]): PromptUsage {
  let sum: PromptUsage | undefined;
  for (const event of events) {
    if (event.type === 'turn' && event.response.usage) sum = addUsage(sum, event.response.usage);
  }
  return sum ?? NO_USAGE;
}

/** The end of a response is followed at once by the settlements of all that it answered. */
function repliesOf(events: readonly FlueObservation[]): CollectedReply[] {
  const texts = new Map<string, string>();
  return events.flatMap((event) => {
    const { agentName = '', instanceId = '' } = event;
    const instance = JSON.stringify([agentName, instanceId]);
    if (event.type === 'operation') texts.set(instance, String(event.agentOutput ?? ''));
    if (event.type !== 'submission_settled' || event.outcome !== 'completed') return [];
    return [{ submissionId: event.submissionId, agentName, instanceId, text: texts.get(instance) ?? '' }];
  });
}
