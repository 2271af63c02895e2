import { LIMITS } from '../../contract/limits.ts';
import type { Clock } from '../../ports/clock.ts';
import type { SessionEnv } from '../../ports/sandbox.ts';
import type { LogLine } from '../logger.ts';
import type { MountedSkill } from '../skills/mounted-skill.ts';
import { prefixWithin } from '../skills/page-text.ts';
import { readSkillMarkdown } from '../skills/skill-markdown.ts';

/** What a workspace tells by itself (WCTX-01). */
export interface WorkspaceContext {
  readonly files: readonly { readonly path: string; readonly text: string }[];
  /** of the working directory, directories with a `/` */
  readonly names: readonly string[];
  /** names that are left out */
  readonly left: number;
  readonly skills: readonly MountedSkill[];
}

export const EMPTY_WORKSPACE: WorkspaceContext = { files: [], names: [], left: 0, skills: [] };

export interface DiscoveryPorts {
  readonly clock: Clock;
  readonly emitLog: (line: LogLine) => void;
}

const SKILLS = '.agents/skills';

/** Looks around in the working directory: at most 64 calls and 5 s, and what is found by then counts (WCTX-08). */
export async function discover(env: SessionEnv, ports: DiscoveryPorts): Promise<WorkspaceContext> {
  const look = new Look(env, ports);
  const found = { files: [] as { path: string; text: string }[], names: [] as string[], left: 0 };
  const skills: MountedSkill[] = [];
  const work = (async () => {
    found.files.push(...(await contextFiles(look)));
    const all = (await look.names('.')) ?? [];
    found.names = all.slice(0, LIMITS.listedNames);
    found.left = all.length - found.names.length;
    for (const name of (await look.names(SKILLS)) ?? []) {
      const skill = await workspaceSkill(look, env, name);
      if (skill) skills.push(skill);
    }
    for (const [index, name] of found.names.entries()) {
      if (await look.isDirectory(name)) found.names[index] = `${name}/`;
    }
  })();
  await Promise.race([work.catch(() => {}), look.over]);
  look.end();
  return { files: [...found.files], names: [...found.names], left: found.left, skills: [...skills] };
}

/** WCTX-03. */
async function contextFiles(look: Look): Promise<{ path: string; text: string }[]> {
  const files: { path: string; text: string }[] = [];
  for (const path of ['AGENTS.md', 'CLAUDE.md']) {
    const whole = await look.text(path);
    if (whole === undefined || whole.trim() === '') continue;
    const bytes = Buffer.from(whole);
    const isCut = bytes.length > LIMITS.contextFileBytes;
    const kept = isCut ? prefixWithin(bytes, LIMITS.contextFileBytes).toString() : whole;
    const text = isCut
      ? `${kept}\n[the rest of its ${bytes.length} bytes is left out; read it with its path]`
      : kept;
    // A link to the first one says the same.
    if (files[0]?.text !== text) files.push({ path, text });
  }
  return files;
}

async function workspaceSkill(look: Look, env: SessionEnv, name: string): Promise<MountedSkill | undefined> {
  const path = `${SKILLS}/${name}/SKILL.md`;
  const text = await look.text(path);
  if (text === undefined) return undefined;
  try {
    const { description } = await readSkillMarkdown(text, name);
    const directory = env.resolvePath(`${SKILLS}/${name}`);
    return {
      name,
      description,
      hasFiles: false,
      read: async () => ({ ...(await readSkillMarkdown(await env.readFile(path), name)), directory }),
    };
  } catch (error) {
    look.warn(`The skill in ${path} is left out: ${(error as Error).message}.`, { path });
    return undefined;
  }
}

/** The calls of one discovery, counted. What is not there is no failure; any other failure is told and skipped (WCTX-04). */
class Look {
  readonly over: Promise<void>;
  readonly end: () => void;
  readonly #env: SessionEnv;
  readonly #ports: DiscoveryPorts;
  #calls = 0;

  constructor(env: SessionEnv, ports: DiscoveryPorts) {
    this.#env = env;
    this.#ports = ports;
    let stop = () => {};
    this.over = new Promise((resolve) => {
      stop = ports.clock.timer(LIMITS.discoveryMs, resolve);
    });
    this.end = () => stop();
  }

  text(path: string): Promise<string | undefined> {
    return this.#call(path, () => this.#env.readFile(path));
  }

  names(path: string): Promise<string[] | undefined> {
    return this.#call(path, () => this.#env.readdir(path));
  }

  async isDirectory(path: string): Promise<boolean> {
    return (await this.#call(path, () => this.#env.stat(path)))?.isDirectory ?? false;
  }

  warn(message: string, attributes: Record<string, string>): void {
    this.#ports.emitLog({ level: 'warn', message: `[flue:workspace] ${message}`, attributes });
  }

  async #call<T>(path: string, ask: () => Promise<T>): Promise<T | undefined> {
    if (this.#calls >= LIMITS.discoveryCalls) return undefined;
    this.#calls += 1;
    try {
      return await ask();
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      if (!/^(ENOENT|ENOTDIR)\b/.test(message))
        this.warn('Something in the workspace cannot be read.', { path, error: message });
      return undefined;
    }
  }
}
