import type { RuleCode } from '../../contract/codes.ts';
import { HOOKS, type HookName, type HookRow } from '../../contract/hook-table.ts';
import type { ThinkingLevel } from '../../contract/names.ts';
import type { DeliveredMessage, DeliveredMessageInput } from '../../conversation/delivered-message.ts';
import { misuse } from '../../errors/flue-error.ts';
import type { JsonValue } from '../../ports/model-shapes.ts';
import type { CompactionConfig } from '../compaction/compaction-config.ts';
import type { DispatchReceipt } from '../dispatch-receipt.ts';
import type { SandboxDeclaration } from '../sandbox/start-environment.ts';
import type { MountedSkill } from '../skills/mounted-skill.ts';
import type { SubagentDefinition } from '../subagents/subagent-definition.ts';
import { ToolNameConflictError } from '../tools/errors.ts';
import type { ToolDefinition } from '../tools/tool-definition.ts';
import type { EventHooks } from './event-hooks.ts';

/**
 * A frame collects what the hooks of one render declare.
 *
 * 1. Hooks find the frame of the render in progress; it is set for the synchronous extent of the agent function only,
 *    so a hook after an `await` or in a callback finds none (HOOK-01).
 * 2. What a hook may do comes from its row in the hook table, never from the hook (HOOK-05).
 * 3. A hook declares as its last step, after everything that can throw (HOOK-04).
 */
export interface Frame {
  readonly kind: FrameKind;
  readonly inputs: FrameInputs;
  readonly calls: Map<HookName, number>;
  /** names taken in this render, as `<hook> <name>` */
  readonly names: Set<string>;
  readonly instructions: string[];
  readonly tools: ToolDefinition[];
  readonly skills: MountedSkill[];
  readonly subagents: SubagentDefinition[];
  readonly states: string[];
  readonly dataParts: string[];
  readonly eventHooks: EventHooks;
  model: ModelChoice | undefined;
  sandbox: SandboxDeclaration | undefined;
}

/** `bare`: no instance stands behind it, so nothing can be written. */
export type FrameKind = 'root' | 'subagent' | 'bare';

/** What a render reads of the world. */
export interface FrameInputs {
  /** what the first contact recorded; `undefined` without (IDATA-01) */
  readonly initialData: JsonValue | undefined;
  /** the cursor's message (DLV-01); in a delegate's frame its task prompt */
  readonly delivery: DeliveredMessage | undefined;
  /** the value now in force, a copy that is the caller's own (STATE-02, STATE-03) */
  readState(name: string): StateRead;
  /** takes a value or an updater (STATE-05) */
  writeState(name: string, value: unknown): void;
  /** takes a value that is checked already (DATA-04) */
  writeData(name: string, data: JsonValue): void;
  /** sends to this instance (DMSG-01) */
  dispatch(message: DeliveredMessageInput): Promise<DispatchReceipt>;
}

export interface StateRead {
  readonly found: boolean;
  readonly value: JsonValue | undefined;
}

/** What `useModel()` asked for. */
export interface ModelChoice {
  /** `'provider-id/model-id'`, not yet resolved (MODEL-03) */
  readonly specifier: string;
  readonly thinkingLevel: ThinkingLevel;
  /** `false` switches the threshold off (MODEL-05) */
  readonly compaction: false | CompactionConfig;
}

/**
 * The frame in progress, kept on the global object: a bundle and the packages beside it may hold a copy of this module
 * each, and a hook of one must find a render of the other.
 */
const KEY = Symbol.for('@flue/runtime.frame');
const holder = globalThis as { [KEY]?: Frame | undefined };

export function openFrame(kind: FrameKind, inputs: FrameInputs): Frame {
  return {
    kind,
    inputs,
    calls: new Map(),
    names: new Set(),
    instructions: [],
    tools: [],
    skills: [],
    subagents: [],
    states: [],
    dataParts: [],
    eventHooks: { useAgentStart: [], useAgentFinish: [], useResponseStart: [], useResponseFinish: [] },
    model: undefined,
    sandbox: undefined,
  };
}

/** Runs `body` with `frame` in progress. Renders never nest (AGENT-09); the frame closes also on a throw (AGENT-10). */
export function inFrame<T>(frame: Frame, body: () => T): T {
  if (holder[KEY]) {
    throw misuse(
      'Re-entrant agent render. An agent function must not call another one: share code through a custom hook.',
      'FLUE2302',
    );
  }
  holder[KEY] = frame;
  try {
    return body();
  } finally {
    holder[KEY] = undefined;
  }
}

/** Whether any render is on the stack, in which case nothing may be written (HOOK-03). */
export function isRendering(): boolean {
  return holder[KEY] !== undefined;
}

/** The first step of every hook: finds the frame and asks the hook's row whether it works there. */
export function frameOf(hook: HookName): Frame {
  const frame = holder[KEY];
  if (!frame) {
    throw misuse(
      `${hook}() was called outside an agent function. Call it while the agent function renders: not in a tool, a ` +
        'callback or at module scope, and not after an await.',
      'FLUE2001',
    );
  }
  const { subagent }: HookRow = HOOKS[hook];
  if (frame.kind === 'subagent' && subagent !== 'works') {
    throw misuse(`${hook}() is not available to a delegate. ${subagent.throws}`, 'FLUE2303');
  }
  return frame;
}

/** The last check of every hook, and the mark that it was called: its row says how often, and with which names. */
export function claim(frame: Frame, hook: HookName, name?: string): void {
  const { perRender, names: noun }: HookRow = HOOKS[hook];
  const calls = frame.calls.get(hook) ?? 0;
  if (calls > 0 && (perRender === 'exactly-once' || perRender === 'at-most-once')) {
    throw misuse(
      `${hook}() was called twice in one render. Decide first, then call it once.`,
      REPEATED[hook],
    );
  }
  if (perRender === 'unique-names' && noun) {
    const key = `${hook} ${name}`;
    if (frame.names.has(key)) throw duplicate(hook, noun, name ?? '');
    frame.names.add(key);
  }
  frame.calls.set(hook, calls + 1);
}

const REPEATED: { readonly [H in HookName]?: RuleCode } = { useModel: 'FLUE2102', useSandbox: 'FLUE2103' };

function duplicate(hook: HookName, noun: string, name: string): Error {
  if (noun === 'tool') return new ToolNameConflictError({ name, conflict: 'duplicate', source: 'custom' });
  return misuse(`${hook}(): two ${noun}s are named "${name}" in one render. Rename one of them.`, 'FLUE2104');
}

/** The first step of every writer that a hook returned (HOOK-03). `what` names it for the message. */
export function assertWritable(frame: Frame, what: string): void {
  if (isRendering()) {
    throw misuse(
      `${what} writes, and a render only reads. Call it in a tool or in an event hook.`,
      'FLUE2301',
    );
  }
  if (frame.kind === 'bare') {
    throw misuse(`${what} has nowhere to write: this render has no instance behind it.`);
  }
}
