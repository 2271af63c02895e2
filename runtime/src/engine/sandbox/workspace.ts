import type { SessionEnv } from '../../ports/sandbox.ts';
import type { MountedSkill } from '../skills/mounted-skill.ts';
import type { MountedTool } from '../tools/tool-definition.ts';
import { type DiscoveryPorts, discover, EMPTY_WORKSPACE, type WorkspaceContext } from './discover.ts';
import { type EquippedRender, environmentTools, type ToolSupply } from './environment-tools.ts';
import { withCwd } from './overlay.ts';

/** The environment of one conversation: a place, its tools, and what it told when it was last looked at. */
export interface Workspace {
  /** declared with `useSandbox()`; else it is the default one */
  readonly attached: boolean;
  readonly env: SessionEnv;
  readonly context: WorkspaceContext;
  /** The tools for one render (TFAC-02). */
  tools(render: EquippedRender): readonly MountedTool[];
  /** The skills of a render and those of the workspace, of which a name that the agent declares is none (SKILL-32). */
  skillsWith(declared: readonly MountedSkill[]): readonly MountedSkill[];
  /** The same place as a task sees it, looked at anew from its directory (CWD-04, WCTX-09). Throws where that is none. */
  forTask(cwd: string | undefined): Promise<Workspace>;
  lookAgain(): Promise<Workspace>;
}

export interface Place extends ToolSupply {
  readonly attached: boolean;
  readonly env: SessionEnv;
  /** nobody has touched it, so that there is nothing to find (SBX-08) */
  readonly isUntouched: () => boolean;
}

export async function openWorkspace(place: Place, ports: DiscoveryPorts): Promise<Workspace> {
  const { attached, env } = place;
  const context = place.isUntouched() ? EMPTY_WORKSPACE : await discover(env, ports);
  const told = new Set<string>();
  let withoutSkills: readonly MountedTool[] | undefined;
  return {
    attached,
    env,
    context,
    tools(render) {
      // A factory is asked at every boundary (TFAC-02); the built-in tools differ by the skills that they read alone.
      if (place.make || render.skills.length > 0) return environmentTools(env, place, render);
      withoutSkills ??= environmentTools(env, place, render);
      return withoutSkills;
    },
    skillsWith(declared) {
      if (context.skills.length === 0) return declared;
      const names = new Set(declared.map((skill) => skill.name));
      return [...declared, ...context.skills.filter((skill) => !isShadowed(skill, names, told, ports))];
    },
    async forTask(cwd) {
      if (cwd === undefined) return openWorkspace(place, ports);
      const path = env.resolvePath(cwd);
      const found = await env.stat(path);
      if (!found.isDirectory) throw new Error(`ENOTDIR: the directory '${cwd}' of the task is none.`);
      return openWorkspace({ ...place, env: withCwd(env, path) }, ports);
    },
    lookAgain: () => openWorkspace(place, ports),
  };
}

/** One warning for each name: a file in a workspace can never make an agent fail. */
function isShadowed(
  { name }: MountedSkill,
  declared: ReadonlySet<string>,
  told: Set<string>,
  { emitLog }: DiscoveryPorts,
): boolean {
  if (!declared.has(name)) return false;
  if (!told.has(name)) {
    told.add(name);
    emitLog({
      level: 'warn',
      message:
        '[flue:workspace] A skill of the workspace has the name of one that the agent declares, which wins.',
      attributes: { skill: name },
    });
  }
  return true;
}
