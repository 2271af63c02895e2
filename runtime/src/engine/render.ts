import { HOOKS, type HookName } from '../contract/hook-table.ts';
import { misuse } from '../errors/flue-error.ts';
import type { Agent, AgentFunction, AgentProps } from './agent.ts';
import type { EventHooks } from './hooks/event-hooks.ts';
import {
  type Frame,
  type FrameInputs,
  type FrameKind,
  inFrame,
  type ModelChoice,
  openFrame,
} from './hooks/frame.ts';
import { cloneJson } from './json-value.ts';
import type { SandboxDeclaration } from './sandbox/start-environment.ts';
import type { MountedSkill } from './skills/mounted-skill.ts';
import type { SubagentDefinition } from './subagents/subagent-definition.ts';
import type { MountedTool } from './tools/tool-definition.ts';

/** What one render declares. Read-only: the next render makes its own (AGENT-06). */
export interface RenderedFrame {
  /** the instruction document, `undefined` when nothing was contributed (AGENT-05) */
  readonly instructions: string | undefined;
  /** never `undefined` for a `root` frame (MODEL-01) */
  readonly model: ModelChoice | undefined;
  /** `undefined` where the default environment serves (SBXH-02) */
  readonly sandbox: SandboxDeclaration | undefined;
  /** in call order */
  readonly tools: readonly MountedTool[];
  /** in call order */
  readonly skills: readonly MountedSkill[];
  /** in call order */
  readonly subagents: readonly SubagentDefinition[];
  /** names, in call order */
  readonly states: readonly string[];
  /** names, in call order */
  readonly dataParts: readonly string[];
  /** callbacks by hook, in call order */
  readonly eventHooks: EventHooks;
}

export interface RenderRequest {
  readonly agent: Agent | AgentFunction;
  readonly kind: FrameKind;
  /** how messages name the agent; default the function's own name */
  readonly name?: string;
  /** the instance id; without one, reading `props.id` throws (AGENT-15) */
  readonly id?: string;
  readonly inputs: FrameInputs;
}

/**
 * Runs the agent function once and returns what it declared. Has no effect of its own (AGENT-08), and throws whatever
 * the function or one of its hooks throws.
 */
export function renderFrame(request: RenderRequest): RenderedFrame {
  const { kind } = request;
  const name = request.name ?? (request.agent.name || 'agent');
  const frame = openFrame(kind, detached(request.inputs));
  const agent = request.agent as (props?: AgentProps) => unknown;
  const returned = inFrame(frame, () => (kind === 'subagent' ? agent() : agent(propsOf(request))));
  const text = instructionOf(returned, name);
  if (kind === 'root') assertComplete(frame, name);
  const parts = [text, ...frame.instructions].filter((part) => part !== '');
  return {
    instructions: parts.length > 0 ? parts.join('\n\n') : undefined,
    model: frame.model,
    sandbox: frame.sandbox,
    tools: frame.tools,
    skills: frame.skills,
    subagents: frame.subagents,
    states: frame.states,
    dataParts: frame.dataParts,
    eventHooks: frame.eventHooks,
  };
}

/**
 * Author code gets copies, one per render and made when first read: whatever it does to them, the conversation keeps
 * what was recorded (DLV-02, IDATA-01).
 */
function detached(inputs: FrameInputs): FrameInputs {
  const initialData = once(() => cloneJson(inputs.initialData));
  const delivery = once(() => cloneJson(inputs.delivery));
  return {
    get initialData() {
      return initialData();
    },
    get delivery() {
      return delivery();
    },
    readState: inputs.readState,
    writeState: inputs.writeState,
    writeData: inputs.writeData,
    dispatch: inputs.dispatch,
  };
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

function propsOf({ id }: RenderRequest): AgentProps {
  if (id !== undefined) return { id };
  return {
    get id(): string {
      throw misuse('props.id was read in a render that has no instance behind it.');
    },
  };
}

function instructionOf(returned: unknown, name: string): string {
  if (typeof returned === 'string') return returned;
  if (returned === undefined) return '';
  if (isThenable(returned)) {
    // Nobody awaits it, so its rejection would end the process (AGENT-03).
    Promise.resolve(returned).catch(() => {});
    throw misuse(
      `Agent functions must be synchronous. "${name}" returned a promise: move its asynchronous work into a tool or ` +
        'an event hook.',
      'FLUE1006',
    );
  }
  if (isGenerator(returned)) {
    throw misuse(
      `Agent functions must be synchronous. "${name}" is a generator, whose body never ran: make it a plain function.`,
      'FLUE1006',
    );
  }
  throw misuse(
    `Agent "${name}" returned ${returned === null ? 'null' : typeof returned}. An agent returns its instruction ` +
      'string, or nothing.',
    'FLUE2305',
  );
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    ((typeof value === 'object' && value !== null) || typeof value === 'function') &&
    typeof (value as { then?: unknown }).then === 'function'
  );
}

/** What a call of a generator function gives, an asynchronous one's included. */
function isGenerator(value: unknown): boolean {
  return /^\[object (?:Async)?Generator\]$/.test(Object.prototype.toString.call(value));
}

/** Hooks whose row says that a render without them is incomplete. */
const REQUIRED = (Object.keys(HOOKS) as HookName[]).filter(
  (hook) => HOOKS[hook].perRender === 'exactly-once',
);

const MISSING: { readonly [H in HookName]?: string } = {
  useModel: "requires a model. Call useModel('provider-id/model-id') in the agent function.",
};

function assertComplete(frame: Frame, name: string): void {
  for (const hook of REQUIRED) {
    if (!frame.calls.has(hook)) throw misuse(`Agent "${name}" ${MISSING[hook]}`, 'FLUE2101');
  }
}
