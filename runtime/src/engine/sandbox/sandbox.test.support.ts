import { afterEach } from 'vitest';
import { virtual } from '../../adapters/sandbox/virtual.ts';
import { init } from '../../app/init.ts';
import { startTest, type TestRuntime } from '../../app/runtime.test.support.ts';
import type { RecordOf } from '../../conversation/records/index.ts';
import type { ModelMessage } from '../../ports/model-gateway.ts';
import type { DefaultEnvironment } from '../../ports/sandbox.ts';
import { type ScriptModel, type ScriptStep, scriptModel } from '../../testing/script-model.ts';
import { useModel } from '../hooks/use-model.ts';
import type { SandboxFactory } from './session-tool.ts';

let flue: TestRuntime | undefined;
afterEach(end);

export async function end(): Promise<void> {
  await flue?.stop();
  flue = undefined;
}

/** The runtime of the test. */
export function running(): TestRuntime {
  return flue!;
}

export async function boot(agent: Agent, o: { environment?: DefaultEnvironment } = {}): Promise<void> {
  flue = await startTest({ agents: [agent as never], ...o });
}

export type Agent = () => string | undefined | void;

export const calls = (...some: [name: string, args: object][]): ScriptStep[] =>
  some.map(([name, args]) => ({ toolCalls: [{ name, arguments: args }] }));

/** One message whose model calls these tools, one in each turn. */
export async function play(agent: Agent, ...some: [name: string, args: object][]): Promise<ScriptModel> {
  const script = scriptModel({ steps: [...calls(...some), { text: 'Done.' }] });
  if (!flue) await boot(agent);
  await init(agent as never, { id: 'a' }).dispatch('Hi');
  return script;
}

/** The failure of one message. */
export async function failure(agent: Agent, ...some: [name: string, args: object][]): Promise<unknown> {
  const error = await play(agent, ...some).catch((thrown: unknown) => thrown);
  return (error as Error).cause;
}

export const textOf = (message: ModelMessage) =>
  message.content.map((part) => ('text' in part ? part.text : '')).join('');
export const results = ({ requests }: ScriptModel) =>
  requests.at(-1)!.messages.flatMap((message) => (message.role === 'tool' ? [textOf(message)] : []));
export const toolsOf = ({ requests }: ScriptModel, at = 0) => requests[at]!.tools.map((tool) => tool.name);
export async function recorded(agent: Agent) {
  return flue!.records(agent.name, 'a');
}
export async function signals(agent: Agent): Promise<RecordOf<'signal'>[]> {
  return (await recorded(agent)).filter((record) => record.type === 'signal');
}

/** A factory that tells what became of it. */
export function counted(files: Record<string, string> = {}, more: Partial<SandboxFactory> = {}) {
  const seen = { created: [] as string[], disposed: 0 };
  const source = virtual({ cwd: '/repo', files });
  const factory: SandboxFactory = {
    ...source,
    async createSessionEnv(options) {
      seen.created.push(options.id);
      const env = await source.createSessionEnv(options);
      const dispose = async () => {
        seen.disposed += 1;
      };
      return { ...env, dispose };
    },
    ...more,
  };
  return { seen, factory };
}

export function Plain() {
  useModel('offline/script');
  return 'Help.';
}
