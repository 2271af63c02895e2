import { validateMessage } from '../app/admission/validate-message.ts';
import type { ThinkingLevel } from '../contract/names.ts';
import type { DeliveredMessageInput } from '../conversation/delivered-message.ts';
import type { Agent, AgentFunction } from '../engine/agent.ts';
import type { CompactionConfig } from '../engine/compaction/compaction-config.ts';
import type { EventHooks } from '../engine/hooks/event-hooks.ts';
import { snapshotJson } from '../engine/json-value.ts';
import { renderFrame } from '../engine/render.ts';
import type { MountedSkill } from '../engine/skills/mounted-skill.ts';
import type { SubagentDefinition } from '../engine/subagents/subagent-definition.ts';
import type { ToolDefinition } from '../engine/tools/tool-definition.ts';
import { misuse } from '../errors/flue-error.ts';
import { unknownField } from '../errors/unknown-field.ts';

/** What a bare render finds in place of an instance; each absent by default. */
export interface RenderAgentOptions {
  /** `props.id`; reading it without one throws (AGENT-15) */
  id?: string;
  /** stored values of persistent state, by name */
  state?: Readonly<Record<string, unknown>>;
  /** what `useDelivery()` returns; without one it throws (DLV-05) */
  delivery?: DeliveredMessageInput;
  /** what `useInitialData()` returns, as recorded: the agent's schema is not applied */
  initialData?: unknown;
}

/** What one render of an agent declared. */
export interface RenderedAgent {
  /** the instruction document */
  readonly instructions: string | undefined;
  /** specifier given to `useModel()`, not resolved */
  readonly model: string | undefined;
  readonly thinkingLevel: ThinkingLevel | undefined;
  readonly compaction: false | CompactionConfig | undefined;
  /** in call order */
  readonly tools: readonly ToolDefinition[];
  /** names of data parts, in call order */
  readonly dataParts: readonly string[];
  /** callbacks by hook, in call order */
  readonly eventHooks: EventHooks;
  /** in call order */
  readonly skills: readonly Pick<MountedSkill, 'name' | 'description'>[];
  /** in call order */
  readonly subagents: readonly SubagentDefinition[];
}

const OPTIONS = ['id', 'state', 'delivery', 'initialData'];

/**
 * Renders an agent once without a runtime, to look at what it declares (AGENT-16). Writers that its hooks return throw.
 * Throws whatever the agent function or a hook throws.
 */
export function renderAgent(agent: Agent | AgentFunction, options: RenderAgentOptions = {}): RenderedAgent {
  if (typeof agent !== 'function') throw misuse('renderAgent() takes an agent function.');
  const problem = unknownField(options, OPTIONS, 'option');
  if (problem) throw misuse(`renderAgent() ${problem}`);
  const { id, state = {}, delivery, initialData } = options;
  const frame = renderFrame({
    agent,
    kind: 'bare',
    ...(id !== undefined && { id }),
    inputs: {
      initialData: initialData === undefined ? undefined : snapshotJson(initialData, 'initialData'),
      delivery: delivery === undefined ? undefined : validateMessage(delivery),
      readState: (name) =>
        Object.hasOwn(state, name)
          ? { found: true, value: snapshotJson(state[name], `state.${name}`) }
          : { found: false, value: undefined },
      // A bare render's writers refuse before they get here.
      writeState: () => {},
      writeData: () => {},
      dispatch: () => Promise.reject(misuse('a bare render has no instance to send to.')),
    },
  });
  return {
    instructions: frame.instructions,
    model: frame.model?.specifier,
    thinkingLevel: frame.model?.thinkingLevel,
    compaction: frame.model?.compaction,
    tools: frame.tools,
    dataParts: frame.dataParts,
    eventHooks: frame.eventHooks,
    skills: frame.skills.map(({ name, description }) => ({ name, description })),
    subagents: frame.subagents,
  };
}
