import type { Span } from '../analysis/diagnostic.ts';
import type { Module } from '../analysis/program.ts';
import type { AgentFact, ToolFact } from '../analysis/summary.ts';
import type { OpenTypes, Types } from '../analysis/types.ts';
import { type Declarations, printJsonType } from './json-type.ts';

/** The printed type of what a tool without an output schema answers. */
export type ToolResults = (tool: ToolFact, declarations: Declarations) => string;

/**
 * What `run` gives once it is awaited, by the type checker (TCLI-09). It is opened when first asked, for all modules that
 * define such a tool at once; without one a result is `unknown`.
 */
export function toolResults(
  agents: readonly AgentFact[],
  modules: readonly Module[],
  open: OpenTypes | undefined,
): ToolResults {
  const byPath = new Map(modules.map((module) => [module.path, module]));
  let types: Types | undefined | null;

  function opened(): Types | null {
    if (types !== undefined) return types;
    const asked = agents.flatMap(({ tools }) => tools.filter(isKnownByType));
    const paths = new Set(asked.map(({ run }) => run.path));
    types = open?.([...paths].flatMap((path) => byPath.get(path) ?? [])) ?? null;
    return types;
  }

  return (tool, declarations) => {
    const module = isKnownByType(tool) ? byPath.get(tool.run.path) : undefined;
    const types = module ? opened() : null;
    const node = module && types?.nodeOf(module, tool.run as Span);
    const result = node && types?.resultOf(node);
    return types && result ? printJsonType(types, result, node, declarations) : 'unknown';
  };
}

/** Whether the client of these agents cannot be printed without the type checker. */
export function needsTypes(agents: readonly AgentFact[]): boolean {
  return agents.some(({ tools }) => tools.some(isKnownByType));
}

function isKnownByType(tool: ToolFact): tool is ToolFact & { readonly run: Span } {
  return tool.run !== undefined && tool.output === null && tool.name.static;
}
