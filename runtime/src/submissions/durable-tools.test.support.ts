import { onTestFinished } from 'vitest';
import { dispatch } from '../app/dispatch.ts';
import { init } from '../app/init.ts';
import {
  startTest,
  storedRecords,
  type TestRuntime,
  temporaryFile,
  until,
} from '../app/runtime.test.support.ts';
import type { ConversationRecord, RecordOf, RecordType } from '../conversation/records/index.ts';
import type { Agent } from '../engine/agent.ts';
import { useModel } from '../engine/hooks/use-model.ts';
import { useTool } from '../engine/hooks/use-tool.ts';
import type { ToolContext } from '../engine/tools/tool-definition.ts';
import { fakeClock } from '../testing/fake-clock.ts';
import { type ScriptStep, scriptModel } from '../testing/script-model.ts';

let flue: TestRuntime | undefined;

/** What went to the log of the process that runs. */
export const log = () => flue!.log;

/** Boots on one file, again and again: each stop leaves what ran interrupted. */
export function persistent() {
  const file = temporaryFile();
  onTestFinished(async () => {
    await flue?.stop({ timeoutMs: 0 });
    flue = undefined;
    file.remove();
  });
  const clock = fakeClock();
  return async (agent: Agent, o: { env?: Record<string, string> } = {}) => {
    await flue?.stop({ timeoutMs: 0 });
    flue = await startTest({ agents: [{ agent, name: 'Desk' }], db: file.adapter(clock), clock, ...o });
    return init(agent, { id: 'a' });
  };
}

export type Run = (context: ToolContext<undefined, false, true>) => unknown;

/** An agent whose one tool, `work`, is durable. */
export function desk(run: Run, more: { readonly durable?: boolean } = {}): Agent {
  return function Desk() {
    useModel('offline/script');
    useTool({ name: 'work', description: 'Works.', durable: true, ...more, run: run as never });
  };
}

export const callWork: ScriptStep = { toolCalls: [{ name: 'work', arguments: {}, id: 'call_1' }] };
export const ofType = async <T extends RecordType>(type: T) =>
  (await storedRecords('Desk', 'a')).filter(
    (record: ConversationRecord): record is RecordOf<T> => record.type === type,
  );
export const never = () => new Promise<never>(() => {});
export const failureOf = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: Error) => error.message,
  );

/** Calls `work` and stops the process once `interrupted` holds. */
export async function interrupt(agent: Agent, interrupted: () => boolean | Promise<boolean>) {
  const boot = persistent();
  const script = scriptModel({ steps: [callWork, { text: 'Done.' }] });
  await boot(agent);
  const { dispatchId } = await dispatch(agent, { id: 'a', message: 'x' });
  await until(interrupted);
  return { boot, script, read: (handle: Awaited<ReturnType<typeof boot>>) => handle.read(dispatchId) };
}
