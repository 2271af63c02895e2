import { BUILTIN_TOOLS, RESERVED_TOOLS, TOOL_NAME_PATTERN } from '../../contract/names.ts';
import { FlueError } from '../../errors/flue-error.ts';
import type { SessionEnv } from '../../ports/sandbox.ts';
import type { MountedSkill } from '../skills/mounted-skill.ts';
import { isPackagedPath } from '../skills/packaged-path.ts';
import { packagedText } from '../skills/skill-tools.ts';
import type { SubagentDefinition } from '../subagents/subagent-definition.ts';
import { ToolNameConflictError } from '../tools/errors.ts';
import { ToolContent } from '../tools/tool-content.ts';
import type { MountedTool, ToolContext, ToolInputSchema } from '../tools/tool-definition.ts';
import { SandboxToolsError } from './errors.ts';
import { overlay } from './overlay.ts';
import type { SessionTool, SessionToolFactory, SessionToolResult } from './session-tool.ts';
import { createBashTool } from './tools/bash.ts';
import { inputOf } from './tools/define-session-tool.ts';
import { createEditTool } from './tools/edit.ts';
import { createGlobTool } from './tools/glob.ts';
import { createGrepTool } from './tools/grep.ts';
import { createReadTool } from './tools/read.ts';
import { createWriteTool } from './tools/write.ts';

/** What the tools of an environment are made for: one render. */
export interface EquippedRender {
  readonly skills: readonly MountedSkill[];
  readonly subagents: readonly SubagentDefinition[];
}

/** Where the tools of an environment come from. */
export interface ToolSupply {
  /** the factory's own, in place of the built-in ones */
  readonly make: SessionToolFactory | undefined;
  /** its shell would lead out of the bounds of its files (LOC-09) */
  readonly isConfined: boolean;
}

/** In the order of NAME-01. */
const BUILTIN = [
  createReadTool,
  createWriteTool,
  createEditTool,
  createBashTool,
  createGrepTool,
  createGlobTool,
] as const;

/**
 * The tools by which a model works in an environment: the six built-in ones, or exactly what the factory's `tools` gives
 * (TFAC-01).
 *
 * @throws SandboxToolsError, ToolNameConflictError for what a factory gave
 */
export function environmentTools(
  env: SessionEnv,
  { make, isConfined }: ToolSupply,
  render: EquippedRender,
): MountedTool[] {
  const view = withPackagedSkills(env, render.skills);
  const builtin = isConfined ? BUILTIN.filter((create) => create !== createBashTool) : BUILTIN;
  const tools = make ? ownTools(make, view, render) : builtin.map((create) => create(view));
  return tools.map(mounted);
}

/** NAME-04: nothing is shadowed. */
export function assertNoClash(environment: readonly MountedTool[], own: readonly MountedTool[]): void {
  const taken = new Set(environment.map((tool) => tool.name));
  const clash = own.find((tool) => taken.has(tool.name));
  if (!clash) return;
  const isBuiltin = (BUILTIN_TOOLS as readonly string[]).includes(clash.name);
  throw new ToolNameConflictError({
    name: clash.name,
    conflict: 'duplicate',
    source: isBuiltin ? 'builtin' : 'adapter',
  });
}

/** TFAC-06: what no other verb sees, and no other holder of the environment. */
function withPackagedSkills(env: SessionEnv, skills: readonly MountedSkill[]): SessionEnv {
  return overlay(env, {
    readFile: async (path) => (isPackagedPath(path) ? packagedText(path, skills) : env.readFile(path)),
  });
}

function ownTools(make: SessionToolFactory, env: SessionEnv, { subagents }: EquippedRender): SessionTool[] {
  let given: unknown;
  try {
    given = make(env, { subagents: Object.fromEntries(subagents.map((one) => [one.name, one])) });
  } catch (cause) {
    if (FlueError.is(cause)) throw cause;
    throw new SandboxToolsError({ why: 'its `tools` threw', cause });
  }
  if (!Array.isArray(given)) {
    if (typeof (given as PromiseLike<unknown> | null)?.then === 'function') {
      Promise.resolve(given).catch(() => {}); // nobody awaits it
    }
    throw new SandboxToolsError({ why: 'its `tools` must return an array at once' });
  }
  const names = new Set<string>();
  return given.map((tool: unknown) => {
    const checked = checkedTool(tool);
    const { name } = checked;
    const reserved = (RESERVED_TOOLS as readonly string[]).includes(name);
    if (reserved || names.has(name)) {
      throw new ToolNameConflictError({
        name,
        conflict: reserved ? 'reserved' : 'duplicate',
        source: 'adapter',
      });
    }
    names.add(name);
    return checked;
  });
}

const FIELDS: readonly (readonly [field: keyof SessionTool, holds: (value: unknown) => boolean])[] = [
  ['name', (value) => typeof value === 'string' && TOOL_NAME_PATTERN.test(value)],
  ['description', (value) => typeof value === 'string' && value !== ''],
  ['parameters', (value) => typeof value === 'object' && value !== null],
  ['execute', (value) => typeof value === 'function'],
];

function checkedTool(tool: unknown): SessionTool {
  const fields = (typeof tool === 'object' && tool !== null ? tool : {}) as Record<string, unknown>;
  const wrong = FIELDS.find(([field, holds]) => !holds(fields[field]))?.[0];
  if (wrong === undefined) return tool as SessionTool;
  const name = typeof fields.name === 'string' ? fields.name : undefined;
  throw new SandboxToolsError({
    why: `the tool "${name ?? '?'}" has no usable \`${wrong}\``,
    ...(name !== undefined && { tool: name }),
    field: wrong,
  });
}

function mounted(tool: SessionTool): MountedTool {
  const { name, description, parameters } = tool;
  const input = inputOf(tool);
  const run = async (context: ToolContext<ToolInputSchema>) =>
    ToolContent.text(textOf(await tool.execute(context.toolCallId, context.data, context.signal)));
  const made: Omit<MountedTool, 'run'> & { run: typeof run } = {
    name,
    description,
    ...(input ? { input } : { jsonSchema: parameters as Record<string, unknown> }),
    run,
  };
  return made as MountedTool;
}

function textOf({ content }: SessionToolResult): string {
  return content
    .map((part) =>
      part.type === 'text' ? part.text : `[an image of type ${part.mimeType}, which is not shown]`,
    )
    .join('\n');
}
