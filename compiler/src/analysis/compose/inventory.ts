import type { Module, Value } from '../program.ts';
import type { Agent } from './agents.ts';
import { isStepDo } from './calls.ts';
import type { Contexts } from './contexts.ts';
import type { Linker } from './flow-types.ts';
import type {
  ApiCall,
  Project,
  Root,
  SpecifierUse,
  StepCall,
  SubagentDefinition,
  ToolDefinition,
} from './project.ts';
import { NO_ENV, type Term } from './term.ts';

type Inventory = Pick<Project, 'roots' | 'apiCalls' | 'steps' | 'tools' | 'subagents' | 'specifiers'>;

const EVENT_HOOKS = new Set(['useAgentStart', 'useAgentFinish', 'useResponseStart', 'useResponseFinish']);

/** One pass over all calls: who calls Flue, what is defined there, and where the functions handed over will run. */
export function takeInventory(
  modules: readonly Module[],
  agents: readonly Agent[],
  linker: Linker,
  contexts: Contexts,
): Inventory {
  const { evaluator } = linker;
  const apiCalls: ApiCall[] = [];
  const steps: StepCall[] = [];
  const tools = new Map<string, ToolDefinition>();
  const subagents = new Map<string, SubagentDefinition>();
  const specifiers = new Map<string, SpecifierUse>();
  const roots: Root[] = agents.map(rootOfAgent);
  for (const agent of agents) contexts.assign(agent.module, agent.fn.id, { kind: 'render', frame: 'agent' });

  for (const module of modules) {
    for (const call of module.calls) {
      const callee = evaluator.evaluate(module, call.callee);
      if (isStepDo(callee)) {
        steps.push({ module, call });
        assignOutside(module, call.args[1]?.value, 'in a step');
      }
      if (callee.t !== 'api') {
        if (callee.t === 'member' && callee.name === 'prompt' && mayBeHarness(callee.object))
          notePrompt(module, call.args[1]?.value);
        continue;
      }
      const { name } = callee;
      apiCalls.push({ module, call, name });
      const first = call.args[0]?.spread ? undefined : call.args[0]?.value;
      if (name === 'useTool' || name === 'defineTool') noteTool(module, first, name === 'useTool');
      else if (name === 'useSubagent' || name === 'defineSubagent') noteSubagent(module, first);
      else if (EVENT_HOOKS.has(name)) assignOutside(module, first, `in a ${name} callback`);
      else if (name === 'useModel') noteModel(module, first, call.args[1]?.value);
      else if (name === 'start') noteStart(module, first);
      else if (name === 'renderAgent' && first) noteRoot('render', evaluator.evaluate(module, first));
    }
  }
  return {
    roots,
    apiCalls,
    steps,
    tools: [...tools.values()],
    subagents: [...subagents.values()],
    specifiers: [...specifiers.values()],
  };

  function assignOutside(module: Module, value: Value | undefined, where: string): void {
    if (!value) return;
    const term = evaluator.evaluate(module, value);
    if (term.t === 'function') contexts.assign(term.module, term.fn, { kind: 'outside', where });
  }

  function noteTool(module: Module, value: Value | undefined, mounted: boolean): void {
    if (value) addTool(evaluator.evaluate(module, value), mounted);
  }

  function addTool(term: Term, mounted: boolean): void {
    for (const option of term.t === 'choice' ? term.options : [term]) {
      if (option.t !== 'object') continue;
      const key = `${option.module.path}#${option.value.start}`;
      const known = tools.get(key);
      tools.set(key, {
        module: option.module,
        term: known?.term ?? option,
        mounted: mounted || (known?.mounted ?? false),
      });
      const run = evaluator.member(option, 'run');
      if (run.t === 'function') contexts.assign(run.module, run.fn, { kind: 'outside', where: 'in a tool' });
    }
  }

  function noteSubagent(module: Module, value: Value | undefined): void {
    if (!value) return;
    const term = evaluator.evaluate(module, value);
    if (term.t !== 'object') return;
    const key = `${term.module.path}#${term.value.start}`;
    if (subagents.has(key)) return;
    const agent = evaluator.member(term, 'agent');
    const isFunction = agent.t === 'function';
    subagents.set(key, {
      module: term.module,
      term,
      agent: isFunction ? { module: agent.module, fn: agent.module.functions[agent.fn]! } : undefined,
    });
    if (isFunction) noteRoot('delegate', agent);
    noteSpecifier(term, 'model');
  }

  function noteRoot(kind: Root['kind'], term: Term, name?: string): void {
    if (term.t !== 'function') return;
    const fn = term.module.functions[term.fn]!;
    const known = roots.find((root) => root.fn === fn && root.module === term.module);
    // A registered agent that is also a delegate keeps both roles: the delegate's frame has its own rules.
    if (known && (known.kind === kind || kind === 'render')) return;
    const agent = known?.agent;
    roots.push({
      kind,
      module: term.module,
      fn,
      name: name ?? fn.name ?? 'an anonymous function',
      nameRange: fn.nameRange,
      agent,
    });
    if (!agent)
      contexts.assign(term.module, fn.id, {
        kind: 'render',
        frame: kind === 'delegate' ? 'delegate' : 'agent',
      });
  }

  function noteStart(module: Module, value: Value | undefined): void {
    if (!value) return;
    const options = evaluator.evaluate(module, value);
    if (options.t !== 'object') return;
    const list = evaluator.member(options, 'agents');
    if (list.t !== 'array') return;
    for (const entry of list.items)
      noteRoot('start', entry.t === 'object' ? evaluator.member(entry, 'agent') : entry);
  }

  function noteModel(module: Module, value: Value | undefined, options: Value | undefined): void {
    if (value) addSpecifiers(module, value, evaluator.evaluate(module, value));
    const term = options && evaluator.evaluate(module, options);
    if (term?.t === 'object') {
      const compaction = evaluator.member(term, 'compaction');
      if (compaction.t === 'object') noteSpecifier(compaction, 'model');
    }
  }

  function notePrompt(module: Module, value: Value | undefined): void {
    const term = value && evaluator.evaluate(module, value);
    if (term?.t !== 'object') return;
    noteSpecifier(term, 'model');
    const list = evaluator.member(term, 'tools');
    if (list.t === 'array') for (const tool of list.items) addTool(tool, false);
  }

  function noteSpecifier(term: Term & { t: 'object' }, key: string): void {
    for (const entry of term.value.entries) {
      if (entry.spread === undefined && entry.key === key) {
        addSpecifiers(
          term.module,
          entry.value,
          evaluator.evaluate(term.module, entry.value, term.env ?? NO_ENV),
        );
      }
    }
  }

  function addSpecifiers(module: Module, value: Value, term: Term): void {
    for (const option of term.t === 'choice' ? term.options : [term]) {
      if (option.t !== 'literal' || typeof option.value !== 'string') continue;
      const range = placeOf(value, option.value) ?? value;
      specifiers.set(`${module.path}#${range.start}:${option.value}`, {
        module,
        range,
        specifier: option.value,
      });
    }
  }
}

/** The literal of that text inside an expression, so that a finding sits on the right branch. */
function placeOf(value: Value, text: string): Value | undefined {
  if (value.k === 'literal') return value.value === text ? value : undefined;
  if (value.k === 'conditional') return placeOf(value.yes, text) ?? placeOf(value.no, text);
  if (value.k === 'logical') return placeOf(value.left, text) ?? placeOf(value.right, text);
  return undefined;
}

/** `harness.prompt`, `ctx.harness.prompt`: the harness of a tool's context. */
function mayBeHarness(object: Term): boolean {
  return (
    object.t === 'member' &&
    object.name === 'harness' &&
    object.object.t === 'param' &&
    object.object.index === 0
  );
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
