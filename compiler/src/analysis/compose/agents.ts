import type { Binding, Export, Fn, MemberAssignment, Module, Range } from '../program.ts';

/** An exported function of a marked module in one of the recognised forms (IDENT-01, BIND-03). */
export interface Agent {
  readonly module: Module;
  readonly export: string;
  readonly exportRange: Range;
  readonly binding: Binding;
  readonly fn: Fn;
  readonly identity: string;
  readonly identityFrom: 'agentName' | 'export' | 'function';
  /** top-level assignments of its statics, in source order */
  readonly statics: readonly StaticAssignment[];
}

export interface StaticAssignment {
  readonly name: string;
  readonly assignment: MemberAssignment;
}

export function isCapitalised(name: string): boolean {
  return /^[A-Z]/.test(name);
}

/** The function that a binding is, when it is one for good. */
export function functionOf(module: Module, binding: Binding): Fn | undefined {
  if (binding.fn !== undefined) return module.functions[binding.fn];
  if (binding.kind === 'param' || binding.assigned || binding.path || binding.init?.k !== 'function')
    return undefined;
  return module.functions[binding.init.fn];
}

const agentsByModule = new WeakMap<Module, readonly Agent[]>();
const NONE: readonly Agent[] = [];

/** Agents of one module; a function exported twice counts once, under its first name. */
export function agentsOf(module: Module): readonly Agent[] {
  if (!module.marked) return NONE;
  const known = agentsByModule.get(module) ?? findAgents(module);
  agentsByModule.set(module, known);
  return known;
}

function findAgents(module: Module): Agent[] {
  const agents: Agent[] = [];
  for (const entry of module.exports) {
    const found = agentExport(module, entry);
    if (!found || agents.some((agent) => agent.binding === found.binding)) continue;
    const statics = staticsOf(module, found.binding);
    const named = agentNameOf(statics);
    agents.push({
      module,
      export: entry.kind === 'star' ? '' : entry.name,
      exportRange: entry.range,
      ...found,
      identity:
        named ?? (entry.kind !== 'star' && entry.name !== 'default' ? entry.name : found.binding.name),
      identityFrom:
        named !== undefined
          ? 'agentName'
          : entry.kind !== 'star' && entry.name !== 'default'
            ? 'export'
            : 'function',
      statics,
    });
  }
  return agents;
}

export function agentExport(module: Module, entry: Export): { binding: Binding; fn: Fn } | undefined {
  if (entry.kind !== 'local') return undefined;
  const binding = module.bindings[entry.binding]!;
  const fn = functionOf(module, binding);
  const name = entry.name === 'default' ? binding.name : entry.name;
  return fn && isCapitalised(name) ? { binding, fn } : undefined;
}

/** `X.name = value` statements of the module itself. */
function staticsOf(module: Module, binding: Binding): StaticAssignment[] {
  return module.assignments.flatMap((assignment) => {
    const { target, topLevel, operator } = assignment;
    if (!topLevel || operator !== '=' || target.k !== 'member' || target.computed) return [];
    if (target.object.k !== 'ref' || target.object.binding !== binding.id) return [];
    return [{ name: target.name, assignment }];
  });
}

function agentNameOf(statics: readonly StaticAssignment[]): string | undefined {
  const value = statics.find(({ name }) => name === 'agentName')?.assignment.value;
  return value?.k === 'literal' && typeof value.value === 'string' && value.form !== 'template'
    ? value.value
    : undefined;
}
