import type { Module, Value, WrittenType } from '../program.ts';
import type { Project } from './project.ts';

const MAX_DEPTH = 8;
/** Methods of a text that give a text. */
const TEXT_METHODS =
  /^(?:charAt|concat|normalize|padEnd|padStart|repeat|replace|replaceAll|slice|substring|toLowerCase|toString|toUpperCase|trim|trimEnd|trimStart)$/;

/**
 * What the types say that are written beside names and functions, followed through calls and text: the answer of the type
 * checker wherever it needs nothing else (RULE-07).
 */
export function writtenTypeOf(
  project: Project,
  module: Module,
  value: Value,
  depth = 0,
): WrittenType | undefined {
  if (depth > MAX_DEPTH || project.settings.typing === 'all') return undefined;
  const { evaluator } = project.linker;
  const typeOf = (part: Value) => writtenTypeOf(project, module, part, depth + 1);
  const bothOf = (one: Value, other: Value) => {
    const type = typeOf(one);
    return type !== undefined && type === typeOf(other) ? type : undefined;
  };
  switch (value.k) {
    case 'literal':
      return typeof value.value === 'string' ? 'string' : 'json';
    case 'template':
      return 'string';
    case 'ref': {
      const { type, kind, init, path } = module.bindings[value.binding]!;
      return type ?? (kind === 'const' && init && !path ? typeOf(init) : undefined);
    }
    case 'conditional':
      return bothOf(value.yes, value.no);
    case 'logical':
      return bothOf(value.left, value.right);
    case 'binary': {
      const isText =
        value.op === '+' && (typeOf(value.left) === 'string' || typeOf(value.right) === 'string');
      return isText ? 'string' : undefined;
    }
    case 'call': {
      const { callee, isNew } = module.calls[value.call]!;
      if (isNew) return undefined;
      if (
        callee.k === 'member' &&
        callee.name === 'join' &&
        evaluator.evaluate(module, callee.object).t === 'array'
      )
        return 'string';
      if (callee.k === 'member' && TEXT_METHODS.test(callee.name) && typeOf(callee.object) === 'string')
        return 'string';
      const called = evaluator.evaluate(module, callee);
      if (called.t === 'function') return called.module.functions[called.fn]!.returns;
      return called.t === 'external' && called.source === 'globalThis' && called.name === 'String'
        ? 'string'
        : undefined;
    }
    default:
      return undefined;
  }
}
