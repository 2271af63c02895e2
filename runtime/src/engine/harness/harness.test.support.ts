import { onTestFinished } from 'vitest';
import { init } from '../../app/init.ts';
import { startTest, type TestRuntime } from '../../app/runtime.test.support.ts';
import type { ConversationRecord, RecordOf, RecordType } from '../../conversation/records/index.ts';
import type { ModelMessage } from '../../ports/model-gateway.ts';
import { type ScriptModel, type ScriptStep, scriptModel } from '../../testing/script-model.ts';
import type { Agent, AgentFunction } from '../agent.ts';
import { type ModelOptions, useModel } from '../hooks/use-model.ts';
import { useTool } from '../hooks/use-tool.ts';
import type { FlueHarness, ToolContext } from '../tools/tool-definition.ts';

/* What the tests of harnesses share: an agent with one harness tool, and a model that tells a scratch conversation. */

type Run = (context: ToolContext<undefined, true>) => unknown;

/** An agent whose tool `work` gets a harness. `more` mounts what else it has. */
export function desk(
  run: Run,
  more: () => void = () => {},
  options: ModelOptions = {},
): AgentFunction<{ id: string }> {
  return function Desk() {
    useModel('offline/script', options);
    useTool({ name: 'work', description: 'Works.', harness: true, run });
    more();
    return 'Be a desk.';
  };
}

/** The same, where what matters is done with the harness alone. */
export const deskThat = (run: (harness: FlueHarness) => unknown, ...more: [(() => void)?, ModelOptions?]) =>
  desk(({ harness }) => run(harness), ...more);

export const callWork: ScriptStep = { toolCalls: [{ name: 'work', arguments: {} }] };
export const call = (name: string, args: unknown = {}): ScriptStep => ({
  toolCalls: [{ name, arguments: args }],
});

export const textOf = (message: ModelMessage | undefined) =>
  (message?.content ?? []).map((part) => ('text' in part ? part.text : '')).join('');

type Request = ScriptModel['requests'][number];

/** Whether a request is one of a scratch conversation, or of what hangs below it: the delivery is in none of these. */
export const isScratch = ({ messages }: Pick<Request, 'messages'>) => textOf(messages[0]) !== 'Hi';

/**
 * The main conversation calls `work` and then says "Done."; scratch conversations get these answers in order, then
 * "Enough.".
 */
export function play(
  scratch: readonly (ScriptStep | string)[],
  main: readonly ScriptStep[] = [callWork],
  summary: ScriptStep = { text: 'A summary.' },
): ScriptModel {
  let scratched = 0;
  let taken = 0;
  return scriptModel({
    steps(request) {
      const { purpose } = request.options;
      if (purpose !== 'agent') return summary;
      if (!isScratch(request)) return main[taken++] ?? { text: 'Done.' };
      const answer = scratch[scratched++] ?? 'Enough.';
      return typeof answer === 'string' ? { text: answer } : answer;
    },
  });
}

export const scratchRequests = ({ requests }: ScriptModel): Request[] =>
  requests.filter((request) => request.options.purpose === 'agent' && isScratch(request));

let flue: TestRuntime | undefined;

/** Starts a runtime with the agents, which ends with the test. */
export async function boot(...agents: Agent[]): Promise<TestRuntime> {
  const started = await startTest({ agents });
  flue = started;
  onTestFinished(() => started.stop());
  return started;
}

/** Sends "Hi" to the agent and returns its reply. */
export async function ask(agent: Agent) {
  const started = await boot(agent);
  return started.during(init(agent, { id: 'a' }).dispatch('Hi'));
}

export const records = (agent = 'Desk') => flue!.records(agent, 'a');
export const ofType = <T extends RecordType>(all: readonly ConversationRecord[], type: T) =>
  all.filter((record): record is RecordOf<T> => record.type === type);
/** The records of children alone. */
export const scratchRecords = async (agent?: string) =>
  (await records(agent)).filter((record) => 'conv' in record && record.conv !== undefined);
export const outcome = async (tool = 'work') =>
  ofType(await records(), 'call_settled').find((record) => record.tool === tool);

/** How a promise was rejected. */
export const failureOf = (promise: PromiseLike<unknown>): Promise<Error | undefined> =>
  Promise.resolve(promise).then(
    () => undefined,
    (error: Error) => error,
  );
