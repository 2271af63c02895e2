import type { Call, Fn, Module, Value } from '../program.ts';
import { isStepDo, syncCallback } from './calls.ts';
import type { Context } from './contexts.ts';
import type { ApiCall, Root, SpecifierUse, StepCall, SubagentDefinition, ToolDefinition } from './entries.ts';
import type { Evaluator } from './evaluate.ts';
import { NO_ENV, type Term } from './term.ts';

/** A function of any module, and where the API that it is handed to runs it. */
interface Assignment {
  readonly module: Module;
  readonly fn: Fn;
  readonly context: Context;
}

/** A function that another one runs where it calls it. */
interface CallEdge {
  readonly from: Fn;
  readonly module: Module;
  readonly fn: Fn;
}

/** What the calls of one module say of Flue, whoever else says it too. */
export interface ModuleInventory {
  readonly apiCalls: readonly ApiCall[];
  readonly steps: readonly StepCall[];
  readonly assignments: readonly Assignment[];
  readonly edges: readonly CallEdge[];
  /** by what tells definitions apart; pairs, since most modules have none and an empty map takes room */
  readonly tools: readonly (readonly [key: string, ToolDefinition])[];
  readonly subagents: readonly (readonly [key: string, SubagentDefinition])[];
  readonly specifiers: readonly SpecifierUse[];
  readonly rendered: readonly { readonly kind: Root['kind']; readonly module: Module; readonly fn: Fn }[];
  /** functions that are sent to or mounted, by the name of what does it */
  readonly addressed: readonly { readonly by: string; readonly module: Module; readonly fn: Fn }[];
}

const EVENT_HOOKS = new Set(['useAgentStart', 'useAgentFinish', 'useResponseStart', 'useResponseFinish']);
const ADDRESSES = new Set(['dispatch', 'init', 'getAgentInstance', 'createAgentRouter']);

/** One pass over the calls of a module: who calls Flue, what is defined there, where functions handed over will run. */
export function takeInventory(module: Module, evaluator: Evaluator): ModuleInventory {
  const apiCalls: ApiCall[] = [];
  const steps: StepCall[] = [];
  const assignments: Assignment[] = [];
  const edges: CallEdge[] = [];
  const tools = new Map<string, ToolDefinition>();
  const subagents = new Map<string, SubagentDefinition>();
  const specifiers = new Map<string, SpecifierUse>();
  const rendered: ModuleInventory['rendered'][number][] = [];
  const addressed: ModuleInventory['addressed'][number][] = [];

  for (const call of module.calls) noteCall(call);
  return {
    apiCalls,
    steps,
    assignments,
    edges,
    tools: [...tools],
    subagents: [...subagents],
    specifiers: [...specifiers.values()],
    rendered,
    addressed,
  };

  function noteCall(call: Call): void {
    const callee = evaluator.evaluate(module, call.callee);
    if (isStepDo(callee)) {
      steps.push({ module, call });
      assignOutside(call.args[1]?.value, 'in a step');
    }
    noteEdges(call, callee);
    if (callee.t !== 'api') {
      if (callee.t === 'member' && callee.name === 'prompt' && mayBeHarness(callee.object))
        notePrompt(call.args[1]?.value);
      return;
    }
    const { name } = callee;
    apiCalls.push({ module, call, name });
    const first = call.args[0]?.spread ? undefined : call.args[0]?.value;
    if (name === 'useTool' || name === 'defineTool') noteTool(first, name === 'useTool');
    else if (name === 'useSubagent' || name === 'defineSubagent') noteSubagent(first);
    else if (EVENT_HOOKS.has(name)) assignOutside(first, `in a ${name} callback`);
    else if (name === 'useSandbox') noteSandbox(first);
    else if (name === 'useModel') noteModel(first, call.args[1]?.value);
    else if (name === 'start') noteStart(first);
    else if (name === 'renderAgent' && first) noteRendered('render', evaluator.evaluate(module, first));
    else if (ADDRESSES.has(name) && first) noteAddressed(name, evaluator.evaluate(module, first));
  }

  /** The function itself, and those handed to something that runs them before it returns. */
  function noteEdges(call: Call, callee: Term): void {
    const from = module.functions[call.owner]!;
    const add = (term: Term) =>
      term.t === 'function' && edges.push({ from, module: term.module, fn: fnOf(term) });
    add(callee);
    const callback = syncCallback(call, callee);
    for (const [index, { value }] of call.args.entries()) {
      if (callee.t === 'function' || callback?.arg === index) add(evaluator.evaluate(module, value));
    }
  }

  function noteAddressed(by: string, term: Term): void {
    if (term.t === 'function') addressed.push({ by, module: term.module, fn: fnOf(term) });
  }

  /** A factory written out: what it does for an environment is done when the render is over. */
  function noteSandbox(value: Value | undefined): void {
    const factory = value && evaluator.evaluate(module, value);
    if (factory?.t !== 'object') return;
    for (const method of ['createSessionEnv', 'tools'])
      assign(evaluator.member(factory, method), { kind: 'outside', where: 'in a sandbox factory' });
  }

  function assignOutside(value: Value | undefined, where: string): void {
    if (value) assign(evaluator.evaluate(module, value), { kind: 'outside', where });
  }

  function assign(term: Term, context: Context): void {
    if (term.t === 'function') assignments.push({ module: term.module, fn: fnOf(term), context });
  }

  function noteTool(value: Value | undefined, mounted: boolean): void {
    if (value) addTool(evaluator.evaluate(module, value), mounted);
  }

  function addTool(term: Term, mounted: boolean): void {
    for (const option of term.t === 'choice' ? term.options : [term]) {
      if (option.t !== 'object') continue;
      const key = `${option.module.path}#${option.value.start}`;
      const known = tools.get(key);
      tools.set(key, {
        module: option.module,
        by: module,
        term: known?.term ?? option,
        mounted: mounted || (known?.mounted ?? false),
      });
      assign(evaluator.member(option, 'run'), { kind: 'outside', where: 'in a tool' });
    }
  }

  function noteSubagent(value: Value | undefined): void {
    if (!value) return;
    const term = evaluator.evaluate(module, value);
    if (term.t !== 'object') return;
    const key = `${term.module.path}#${term.value.start}`;
    if (subagents.has(key)) return;
    const agent = evaluator.member(term, 'agent');
    subagents.set(key, {
      module: term.module,
      by: module,
      term,
      agent: agent.t === 'function' ? { module: agent.module, fn: fnOf(agent) } : undefined,
    });
    noteRendered('delegate', agent);
    noteSpecifier(term, 'model');
  }

  function noteRendered(kind: Root['kind'], term: Term): void {
    if (term.t === 'function') rendered.push({ kind, module: term.module, fn: fnOf(term) });
  }

  function noteStart(value: Value | undefined): void {
    if (!value) return;
    const options = evaluator.evaluate(module, value);
    if (options.t !== 'object') return;
    const list = evaluator.member(options, 'agents');
    if (list.t !== 'array') return;
    for (const entry of list.items)
      noteRendered('start', entry.t === 'object' ? evaluator.member(entry, 'agent') : entry);
  }

  function noteModel(value: Value | undefined, options: Value | undefined): void {
    if (value) addSpecifiers(module, value, evaluator.evaluate(module, value));
    const term = options && evaluator.evaluate(module, options);
    if (term?.t === 'object') {
      const compaction = evaluator.member(term, 'compaction');
      if (compaction.t === 'object') noteSpecifier(compaction, 'model');
    }
  }

  function notePrompt(value: Value | undefined): void {
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

  function addSpecifiers(home: Module, value: Value, term: Term): void {
    for (const option of term.t === 'choice' ? term.options : [term]) {
      if (option.t !== 'literal' || typeof option.value !== 'string') continue;
      const range = placeOf(value, option.value) ?? value;
      specifiers.set(`${home.path}#${range.start}:${option.value}`, {
        module: home,
        by: module,
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

function fnOf(term: Term & { t: 'function' }): Fn {
  return term.module.functions[term.fn]!;
}
