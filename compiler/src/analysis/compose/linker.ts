import { HOOKS, type HookRow, isHookName } from '@flue/runtime/internal';
import type { Fn, FunctionId, Module } from '../program.ts';
import { createEvaluator, type Evaluator } from './evaluate.ts';
import { summariseFlow, unknownSummary } from './flow.ts';
import type { FlowSummary, Linker } from './flow-types.ts';
import type { Graph } from './graph.ts';
import type { Memory } from './memory.ts';
import { createStabilityOracle } from './stability.ts';
import type { Term } from './term.ts';
import type { Event } from './world.ts';

/** Summaries that wait for each other before the chain is given up (RULE-29). */
const MAX_CHAIN = 64;

/** Joins the functions of all modules: each is summarised once, when somebody first asks (RULE-27). */
export function createLinker(graph: Graph, { terms, flows }: Memory): Linker {
  const evaluator = createEvaluator(graph, terms);
  const stability = createStabilityOracle(evaluator, graph);
  const open = new Map<Fn, { asked: boolean }>();

  function flowOf(module: Module, id: FunctionId): FlowSummary {
    const fn = module.functions[id]!;
    const memo = flows.get(module) ?? enter(module);
    const known = memo.get(fn);
    if (known) return known;
    const running = open.get(fn);
    if (running) {
      running.asked = true;
      return unknownSummary(module, fn);
    }
    if (open.size >= MAX_CHAIN) {
      // Kept, so that the chain is cut in one place and its cost stays linear.
      const cut = {
        ...unknownSummary(module, fn),
        limited: `the chain of calls is deeper than ${MAX_CHAIN}`,
      };
      memo.set(fn, cut);
      return cut;
    }
    const state = { asked: false };
    open.set(fn, state);
    let summary = summariseFlow(linker, module, fn);
    open.delete(fn);
    // Recursion: a second pass sees what the first found; nothing that is counted to two needs a third.
    if (state.asked && summary.exit && summary.exit.counts.size > 0) {
      memo.set(fn, summary);
      open.set(fn, state);
      summary = summariseFlow(linker, module, fn);
      open.delete(fn);
    }
    memo.set(fn, summary);
    return summary;
  }

  /** All functions of a module are summarised in their order, so that no summary depends on who asked first (M2). */
  function enter(module: Module): Map<Fn, FlowSummary> {
    const memo = new Map<Fn, FlowSummary>();
    flows.set(module, memo);
    for (const { id } of module.functions) flowOf(module, id);
    return memo;
  }

  const linker: Linker = {
    evaluator,
    stability,
    flowOf,
    keysOf: (event) => keysOf(evaluator, event),
    orderKey: (event) => keysOf(evaluator, event)[1] ?? textKey(event) ?? event.site,
  };
  return linker;
}

/** Two instructions of one text are one instruction, wherever they are called. */
function textKey(event: Event): string | undefined {
  const [text] = event.args;
  return event.name === 'useInstruction' && text?.t === 'literal'
    ? `useInstruction:${String(text.value)}`
    : undefined;
}

/** The name that a hook call declares, as far as it is known. */
export function declaredName(evaluator: Evaluator, event: Event): Term | undefined {
  if (event.kind === 'step') return event.args[0];
  if (event.kind !== 'hook' || !isHookName(event.name)) return undefined;
  const row: HookRow = HOOKS[event.name];
  const first = event.args[0];
  if (row.names === undefined || first === undefined) return undefined;
  if (row.names === 'state' || row.names === 'data part') return first;
  return evaluator.member(first, 'name');
}

function keysOf(evaluator: Evaluator, event: Event): readonly string[] {
  if (event.kind === 'hook' && (event.name === 'useModel' || event.name === 'useSandbox'))
    return [event.site, event.name];
  const name = declaredName(evaluator, event);
  return name?.t === 'literal' && typeof name.value === 'string'
    ? [event.site, `${event.name}:${name.value}`]
    : [event.site];
}
