import type { Fn, Module } from '../program.ts';
import type { Agent } from './agents.ts';
import type { Contexts } from './contexts.ts';
import type { Root, SpecifierUse, SubagentDefinition, ToolDefinition } from './entries.ts';
import type { ModuleInventory } from './inventory.ts';
import type { Project } from './project.ts';

export type Joined = Pick<Project, 'roots' | 'apiCalls' | 'steps' | 'tools' | 'subagents' | 'specifiers'> & {
  /** what other modules say about the functions and definitions of a module, as text to be compared */
  readonly incoming: ReadonlyMap<Module, string>;
  /** what renders in sight run, themselves included */
  readonly reached: ReadonlySet<Fn>;
};

/** The inventories of all modules as one: what several of them say of the same thing is said once. */
export function joinInventories(
  inventories: readonly (readonly [Module, ModuleInventory])[],
  agents: readonly Agent[],
  contexts: Contexts,
): Joined {
  const tools = new Map<string, ToolDefinition>();
  const subagents = new Map<string, SubagentDefinition>();
  const specifiers = new Map<string, SpecifierUse>();
  const roots = new Map<Fn, Root[]>();
  const incoming = new Map<Module, string>();
  const note = (about: Module, by: Module, text: () => string): void => {
    if (about !== by) incoming.set(about, `${incoming.get(about) ?? ''}${text()};`);
  };

  for (const agent of agents) {
    roots.set(agent.fn, [rootOfAgent(agent)]);
    contexts.assign(agent.module, agent.fn.id, { kind: 'render', frame: 'agent' });
  }
  for (const [by, inventory] of inventories) {
    for (const { module, fn, context } of inventory.assignments) {
      contexts.assign(module, fn.id, context);
      note(module, by, () => `${fn.id} ${context.kind === 'outside' ? context.where : context.kind}`);
    }
    for (const { kind, module, fn } of inventory.rendered) {
      note(module, by, () => `${fn.id} ${kind}`);
      addRoot(kind, module, fn);
    }
    for (const { by: address, module, fn } of inventory.addressed)
      note(module, by, () => `${fn.id} ${address}`);
    for (const [key, tool] of inventory.tools) {
      const known = tools.get(key);
      tools.set(key, known ? { ...known, mounted: known.mounted || tool.mounted } : tool);
      note(known?.by ?? tool.module, by, () => `${key} ${tool.mounted}`);
    }
    for (const [key, definition] of inventory.subagents) {
      const { agent } = definition;
      if (agent) note(agent.module, by, () => `${agent.fn.id} as ${key}`);
      if (subagents.has(key)) note(subagents.get(key)!.by, by, () => key);
      else subagents.set(key, definition);
    }
    for (const use of inventory.specifiers) {
      const key = `${use.module.path}#${use.range.start}:${use.specifier}`;
      if (specifiers.has(key)) note(specifiers.get(key)!.by, by, () => key);
      else specifiers.set(key, use);
    }
  }
  const reached = noteReached();
  return {
    roots: [...roots.values()].flat(),
    apiCalls: inventories.flatMap(([, { apiCalls }]) => apiCalls),
    steps: inventories.flatMap(([, { steps }]) => steps),
    tools: [...tools.values()],
    subagents: [...subagents.values()],
    specifiers: [...specifiers.values()],
    incoming,
    reached,
  };

  function noteReached(): ReadonlySet<Fn> {
    const edges = new Map<Fn, { module: Module; fn: Fn }[]>();
    for (const { from, ...to } of inventories.flatMap(([, inventory]) => inventory.edges))
      edges.set(from, [...(edges.get(from) ?? []), to]);
    const reached = new Set(roots.keys());
    // A set hands out what is added while it is walked.
    for (const from of reached) {
      for (const { module, fn } of edges.get(from) ?? []) {
        if (!reached.has(fn)) incoming.set(module, `${incoming.get(module) ?? ''}${fn.id} reached;`);
        reached.add(fn);
      }
    }
    return reached;
  }

  function addRoot(kind: Root['kind'], module: Module, fn: Fn): void {
    const known = roots.get(fn) ?? [];
    // A registered agent that is also a delegate keeps both roles: the delegate's frame has its own rules.
    if (known.some((root) => root.kind === kind || kind === 'render')) return;
    const agent = known[0]?.agent;
    const name = fn.name ?? 'an anonymous function';
    roots.set(fn, [...known, { kind, module, fn, name, nameRange: fn.nameRange, agent }]);
    if (!agent)
      contexts.assign(module, fn.id, { kind: 'render', frame: kind === 'delegate' ? 'delegate' : 'agent' });
  }
}

function rootOfAgent(agent: Agent): Root {
  return {
    kind: 'agent',
    module: agent.module,
    fn: agent.fn,
    name: agent.binding.name,
    nameRange: agent.binding.range,
    agent,
  };
}
