import * as runtime from '@flue/runtime';
import {
  type Agent,
  init,
  resolveModelInfo,
  type SubagentDefinition,
  type ToolDefinition,
  ToolInputValidationError,
  useModel,
  validateAndRunTool,
} from '@flue/runtime';
import { type Flue, type StartOptions, start } from '@flue/runtime/node';
import { renderAgent } from '@flue/runtime/testing';
import { startWireServer, type WireServer } from '../../support/wire-server.ts';
import { evaluate, type Files, type Namespace, type World } from './evaluate.ts';

/** What went wrong while a project lived, in order; nothing when it did what its author meant. */
export interface Outcome {
  /** rule codes that the failures name, ascending */
  readonly codes: readonly string[];
  /** `FLUE2101` or `TypeError`, and the text, for messages */
  readonly failures: readonly string[];
}

const KEYS = {
  ACME_API_KEY: 'sk-conformance',
  ANTHROPIC_API_KEY: 'sk-ant-conformance',
  OPENAI_API_KEY: 'sk-conformance',
  OPENROUTER_API_KEY: 'sk-conformance',
};

/**
 * The model provider of every project: one server on the loopback interface answers, whatever host a request is for, so
 * that specifiers resolve as they would and nothing leaves the machine.
 */
export async function startModels(): Promise<WireServer> {
  const server = await startWireServer();
  const { fetch } = globalThis;
  globalThis.fetch = (input, init) => {
    const { pathname } = new URL(input instanceof Request ? input.url : input);
    const path = pathname.slice(pathname.lastIndexOf('/v1/'));
    return fetch(new URL(path, server.url), init);
  };
  return {
    ...server,
    close() {
      globalThis.fetch = fetch;
      return server.close();
    },
  };
}

/**
 * Lets a project live once: its modules load, its agents register, each renders and answers one message by calling every
 * tool that it mounts, and tools at module scope run alone, those that need a harness in an agent that mounts them. A failure of one step does not hide those of later ones.
 */
export async function enact(files: Files, world: World, models: WireServer): Promise<Outcome> {
  const failures: unknown[] = [];
  const attempt = async (step: () => unknown): Promise<void> => {
    try {
      await step();
    } catch (error) {
      failures.push(error);
    }
  };
  models.reset();
  const stray = (error: unknown) => void failures.push(error);
  process.on('uncaughtException', stray);
  process.on('unhandledRejection', stray);
  const log = silenceStderr();
  const running: Flue[] = [];
  const open = async (options: StartOptions): Promise<Flue> => {
    const flue = await start({ ...options, env: KEYS });
    running.push(flue);
    return flue;
  };
  try {
    const exported = new Map<string, Namespace>();
    const startsItself = Object.values(files).some((text) => text.includes('@flue/runtime/node'));
    const marked = Object.entries(files).filter(([, text]) => isMarked(text));
    if (!startsItself && marked.length === 0) await open({ agents: [Bystander] });
    const watched = watch(world, open, failures);
    await attempt(async () => {
      for (const [path, values] of await evaluate(files, watched)) exported.set(path, values);
    });
    const agents = marked.flatMap(([path]) => agentsOf(exported.get(path) ?? {}));
    if (agents.length > 0) await attempt(() => open({ agents }));
    for (const { agent, identity } of agents) {
      await attempt(() => renderAgent(agent, { id: '1', delivery: 'hello' }));
      if (running.length > 0) await attempt(() => converse(agent, identity, models));
    }
    for (const hook of hooksOf(exported)) await attempt(() => renderHook(hook));
    const delegates = subagentsOf(exported);
    if (delegates.length > 0 && running.length > 0 && marked.length === 0) {
      await attempt(() => delegateTo(delegates, watched, models));
    }
    for (const { model } of delegates) if (model !== undefined) await attempt(() => resolveModelInfo(model));
    const tools = toolsOf(exported);
    for (const tool of tools) if (!tool.harness) await attempt(() => runAlone(tool));
    const harnessed = tools.filter((tool) => tool.harness);
    if (harnessed.length > 0 && running.length > 0 && marked.length === 0) {
      await attempt(() => callEach(harnessed, watched, models));
    }
    for (const router of routersOf(exported)) await attempt(() => requestOf(router));
    await macrotasks();
  } finally {
    await Promise.all(running.map((flue) => flue.stop({ timeoutMs: 100 })));
    log.restore();
    process.off('uncaughtException', stray);
    process.off('unhandledRejection', stray);
  }
  failures.push(...log.faults());
  return {
    codes: [...new Set(failures.flatMap(codesOf))].sort(),
    failures: [...new Set(failures.map(describe))],
  };
}

/** Registered where a project has no agent of its own; mounts what it is given. */
function Bystander(): void {
  mounting?.();
}
let mounting: (() => void) | undefined;

/** Hands a task to each delegate that a project defines. Why a specifier did not resolve, only a text tells the model. */
async function delegateTo(
  delegates: readonly SubagentDefinition[],
  world: World,
  models: WireServer,
): Promise<void> {
  const { useSubagent } = world.packages['@flue/runtime'] as unknown as typeof runtime;
  await converseWith(models, () => {
    for (const delegate of delegates) useSubagent(delegate);
  });
}

/** Calls each of these tools in an agent. */
async function callEach(tools: readonly ToolDefinition[], world: World, models: WireServer): Promise<void> {
  const { useTool } = world.packages['@flue/runtime'] as unknown as typeof runtime;
  await converseWith(models, () => {
    for (const tool of tools) useTool(tool);
  });
}

/** One message to the bystander, which mounts this. */
async function converseWith(models: WireServer, mount: () => void): Promise<void> {
  mounting = () => {
    useModel('anthropic/claude-haiku-4-5');
    mount();
  };
  try {
    await converse(Bystander, 'Bystander', models);
  } finally {
    mounting = undefined;
  }
}

function isMarked(text: string): boolean {
  return /^['"]use agent['"]/.test(text);
}

/**
 * The world of a snippet with three calls observed: what it starts is stopped with it, and what a mounted tool or a
 * delegate throws is kept whole, where the model would read no more than the text.
 */
function watch(world: World, open: (o: StartOptions) => Promise<Flue>, failures: unknown[]): World {
  const useTool: typeof runtime.useTool = (tool) => {
    if (typeof tool?.run !== 'function') return runtime.useTool(tool);
    const run = async (context: Parameters<typeof tool.run>[0]) => {
      try {
        return await tool.run(context);
      } catch (error) {
        failures.push(error);
        throw error;
      }
    };
    runtime.useTool({ ...tool, run } as typeof tool);
  };
  const useSubagent: typeof runtime.useSubagent = (subagent) => {
    const isOurs = subagent?.name === runtime.GeneralSubagent.name;
    if (isOurs || typeof subagent?.agent !== 'function') return runtime.useSubagent(subagent);
    const agent: SubagentDefinition['agent'] = (...props) => {
      try {
        return subagent.agent(...props);
      } catch (error) {
        failures.push(error);
        throw error;
      }
    };
    runtime.useSubagent({ ...subagent, agent });
  };
  const packages = {
    '@flue/runtime': { ...runtime, useTool, useSubagent },
    '@flue/runtime/node': { start: open },
    ...world.packages,
  };
  return { ...world, packages };
}

interface Registered {
  readonly agent: Agent;
  readonly identity?: string;
}

/** What a build registers of a marked module: capitalised exports, and the default one under its own name. */
function agentsOf(module: Namespace): Registered[] {
  return Object.entries(module).flatMap(([name, value]) => {
    if (typeof value !== 'function' || !(name === 'default' || /^[A-Z]/.test(name))) return [];
    const agent = value as Agent;
    const own = name === 'default' ? agent.name : name;
    return [own === 'default' ? { agent } : { agent, identity: agent.agentName ?? own }];
  });
}

/**
 * One message, answered by a call of every mounted tool and delegate and then a text; and a signal that joins the response, so that
 * whatever depends on the delivery is seen to change.
 */
async function converse(agent: Agent, identity: string | undefined, models: WireServer): Promise<void> {
  models.reset();
  const calls = callsOf(agent);
  if (calls.length > 0) models.answer({ calls });
  const done = { text: ['Done.'] };
  // Whoever is not content with the first answer sees a call, then answers for as long as the runtime asks.
  const another = { calls: [{ id: 'call_more', name: 'look_around', pieces: ['{}'] }] };
  models.answer(done, another, ...Array.from({ length: 40 }, () => done));
  const id = `of-${identity ?? 'default'}`;
  await Promise.all([
    init(agent, { id }).dispatch('hello'),
    init(agent, { id }).dispatch({ message: { kind: 'signal', type: 'probe', body: 'hello again' } }),
  ]);
}

/** A call of everything that is mounted: tools without arguments, delegates with a task. */
function callsOf(agent: Agent): { id: string; name: string; pieces: string[] }[] {
  try {
    const { tools, subagents } = renderAgent(agent, { id: '1', delivery: 'hello' });
    const tasks = subagents.map(({ name }) => JSON.stringify({ agent: name, prompt: 'Work.' }));
    const calls = [...tools.map(({ name }) => [name, '{}']), ...tasks.map((args) => ['task', args])];
    return calls.map(([name, args], index) => ({ id: `call_${index}`, name: name!, pieces: [args!] }));
  } catch {
    return [];
  }
}

function subagentsOf(modules: ReadonlyMap<string, Namespace>): SubagentDefinition[] {
  return exportsOf(modules).filter((value): value is SubagentDefinition => {
    const subagent = value as Partial<SubagentDefinition> | null;
    return typeof subagent === 'object' && typeof subagent?.agent === 'function';
  });
}

function toolsOf(modules: ReadonlyMap<string, Namespace>): ToolDefinition[] {
  return exportsOf(modules).filter((value): value is ToolDefinition => {
    const tool = value as Partial<ToolDefinition> | null;
    return typeof tool === 'object' && typeof tool?.run === 'function' && typeof tool.name === 'string';
  });
}

/** Runs a tool with made-up arguments; that they do not fit says nothing about the tool. */
async function runAlone(tool: ToolDefinition): Promise<void> {
  try {
    await validateAndRunTool(tool, {});
  } catch (error) {
    if (!ToolInputValidationError.is(error, 'tool_input_validation')) throw error;
  }
}

type Hook = (condition: boolean) => unknown;

function hooksOf(modules: ReadonlyMap<string, Namespace>): Hook[] {
  const named = [...modules.values()].flatMap((module) => Object.entries(module));
  return named.flatMap(([name, value]) =>
    /^use[A-Z]/.test(name) && typeof value === 'function' ? [value as Hook] : [],
  );
}

/** Renders an exported custom hook as an agent would, and awaits what it leaves behind. */
async function renderHook(hook: Hook): Promise<void> {
  let left: unknown;
  renderAgent(
    () => {
      useModel('anthropic/claude-haiku-4-5');
      left = hook(true);
    },
    { id: '1', delivery: 'hello' },
  );
  await left;
}

interface Router {
  request(path: string, init: RequestInit): Promise<Response>;
}

function routersOf(modules: ReadonlyMap<string, Namespace>): Router[] {
  return exportsOf(modules).filter((value): value is Router => {
    const router = value as { request?: unknown; route?: unknown } | null;
    return typeof router?.request === 'function' && typeof router.route === 'function';
  });
}

function exportsOf(modules: ReadonlyMap<string, Namespace>): unknown[] {
  return [...modules.values()].flatMap((module) => Object.values(module));
}

async function requestOf(router: Router): Promise<void> {
  const response = await router.request('/1', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ kind: 'user', body: 'hello' }),
  });
  if (response.status >= 400) throw new Error(`${response.status}: ${await response.text()}`);
}

/** Timers without a delay, and what they start, have run. */
async function macrotasks(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setTimeout(resolve, 2));
}

/** Keeps the server log off the terminal, and reads out of it the plain errors that a settlement redacts. */
function silenceStderr() {
  const write = process.stderr.write;
  let text = '';
  process.stderr.write = ((chunk: string | Uint8Array) => {
    text += chunk;
    return true;
  }) as typeof process.stderr.write;
  return {
    restore: () => {
      process.stderr.write = write;
    },
    faults: () =>
      [...text.matchAll(/\[flue\] (?!\[err_)[^\n]*\(FLUE\d{4}\)/g)].map(([line]) => new Error(line)),
  };
}

/** The rules that an error names: `meta.rule`, or the code that ends its message, on it or what it wraps (ERR-12). */
export function codesOf(error: unknown): string[] {
  if (!(error instanceof Error)) return [];
  const { meta } = error as { meta?: { rule?: string } };
  const inText = /\((FLUE\d{4})\)$/.exec(error.message)?.[1];
  const own = [meta?.rule, inText].filter((code) => code !== undefined);
  return [...own, ...codesOf(error.cause)];
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return `${codesOf(error).join('/') || error.name}: ${error.message}`;
}
