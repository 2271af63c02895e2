import type { Binding, Call, FunctionId, Module, PathStep, Value } from '../program.ts';
import type { Graph, Target } from './graph.ts';
import { returnValues } from './returns.ts';
import { bindingKey, type Env, literal, NO_ENV, opaque, paramKey, type Term } from './term.ts';
import { binary, joinText } from './text-terms.ts';

/** How deep one value may lead into others, through calls, spreads and imports, before it counts as unknown. */
const MAX_DEPTH = 64;
/** Steps of one question; a value that costs more is unknown (RULE-29). */
const FUEL = 4000;
/** Options of a choice and returns of a function that are told apart. */
const MAX_OPTIONS = 8;
const IDENTITY_APIS = new Set(['defineTool', 'defineSkill', 'defineSubagent']);

/** Answers about the values of one module, by the value or binding that was asked about. */
export type Terms = Map<object, Term>;

export interface Evaluator {
  evaluate(module: Module, value: Value, env?: Env): Term;
  /** the value of a module's export */
  exported(module: Module, name: string): Term;
  member(object: Term, name: string): Term;
  /** replace parameters and loop variables by what `env` knows of them */
  substitute(term: Term, env: Env): Term;
  /** the environment of a call's body: its parameters bound to the arguments */
  bindArguments(callee: Term & { t: 'function' }, args: readonly Term[]): Env;
  argumentsOf(module: Module, call: Call, env: Env): Term[];
}

export function createEvaluator(graph: Graph, terms: Map<Module, Terms>): Evaluator {
  // Kept are only answers that do not depend on who asked: whole questions, and parts of them that met no limit.
  let latest: { readonly module: Module; readonly memo: Terms } | undefined;
  const open = new Set<Binding>();
  let fuel = FUEL;
  let depth = 0;
  /** how often a question met a limit or itself */
  let cuts = 0;

  function memoOf(module: Module): Terms {
    if (latest?.module === module) return latest.memo;
    const memo = terms.get(module) ?? new Map();
    terms.set(module, memo);
    latest = { module, memo };
    return memo;
  }

  function evaluate(module: Module, value: Value, env: Env): Term {
    if (value.k === 'literal') return literal(value.value);
    const keeps = env.size === 0 && value.k !== 'ref' && value.k !== 'object' && value.k !== 'function';
    const known = keeps ? memoOf(module).get(value) : undefined;
    if (known) return known;
    const isWhole = depth === 0 && open.size === 0;
    if (depth === 0) fuel = FUEL;
    if (depth >= MAX_DEPTH || --fuel < 0) {
      cuts++;
      return opaque('budget', { module, value, env });
    }
    const before = cuts;
    depth++;
    const term = evaluateValue(module, value, env);
    depth--;
    if (keeps && (isWhole || cuts === before)) memoOf(module).set(value, term);
    return term;
  }

  function evaluateValue(module: Module, value: Value, env: Env): Term {
    const unknown = (): Term => opaque('not-literal', { module, value, env });
    switch (value.k) {
      case 'undefined':
        return literal(undefined);
      case 'ref':
        return evaluateBinding(module, module.bindings[value.binding]!, env);
      case 'global':
        return { t: 'external', source: 'globalThis', name: value.name, dependsOnFlue: false };
      case 'import-meta':
        return { t: 'external', source: 'globalThis', name: 'import.meta', dependsOnFlue: false };
      case 'member':
        return member(evaluate(module, value.object, env), value.name);
      case 'index': {
        const index = evaluate(module, value.index, env);
        if (index.t !== 'literal') return opaque('computed-key', { module, value, env });
        return member(evaluate(module, value.object, env), String(index.value));
      }
      case 'object':
        return { t: 'object', module, value, env };
      case 'array':
        return evaluateArray(module, value, env);
      case 'function':
        return { t: 'function', module, fn: value.fn, env };
      case 'template':
        return joinText(
          value.parts.map((part) => (typeof part === 'string' ? part : evaluate(module, part, env))),
        );
      case 'await': {
        const operand = evaluate(module, value.operand, env);
        return operand.t === 'call' ? { ...operand, awaited: true } : operand;
      }
      case 'conditional': {
        const test = evaluate(module, value.test, env);
        if (test.t === 'literal') return evaluate(module, test.value ? value.yes : value.no, env);
        return choice(
          [evaluate(module, value.yes, env), evaluate(module, value.no, env)],
          module,
          value,
          env,
        );
      }
      case 'logical': {
        const left = evaluate(module, value.left, env);
        if (left.t === 'literal') {
          const takesRight =
            value.op === '&&'
              ? Boolean(left.value)
              : value.op === '||'
                ? !left.value
                : left.value === null || left.value === undefined;
          return takesRight ? evaluate(module, value.right, env) : left;
        }
        if (left.t === 'object' || left.t === 'array' || left.t === 'function') {
          return value.op === '&&' ? evaluate(module, value.right, env) : left;
        }
        return choice([left, evaluate(module, value.right, env)], module, value, env);
      }
      case 'binary':
        return (
          binary(value.op, evaluate(module, value.left, env), evaluate(module, value.right, env)) ?? unknown()
        );
      case 'unary': {
        const operand = evaluate(module, value.operand, env);
        if (operand.t === 'literal') {
          if (value.op === '!') return literal(!operand.value);
          if (value.op === 'present') return literal(operand.value !== null && operand.value !== undefined);
          if (value.op === 'typeof') return literal(operand.value === null ? 'object' : typeof operand.value);
          if (value.op === '+') return literal(Number(operand.value));
        }
        return unknown();
      }
      case 'call':
        return evaluateCall(module, module.calls[value.call]!, env);
      default:
        return unknown();
    }
  }

  function evaluateBinding(module: Module, binding: Binding, env: Env): Term {
    if (env.size > 0) return env.get(binding) ?? evaluateDeclaration(module, binding, env);
    const known = memoOf(module).get(binding);
    if (known) return known;
    if (open.has(binding)) {
      cuts++;
      return opaque('recursive');
    }
    const isWhole = depth <= 1 && open.size === 0;
    const before = cuts;
    open.add(binding);
    const term = evaluateDeclaration(module, binding, env);
    open.delete(binding);
    if (isWhole || cuts === before) memoOf(module).set(binding, term);
    return term;
  }

  function evaluateDeclaration(module: Module, binding: Binding, env: Env): Term {
    if (binding.import)
      return termOf(graph.resolveImport(module, binding.import.specifier, binding.import.name));
    if (binding.assigned) return opaque('mutable-binding', originOf(module, binding, env));
    if (binding.fn !== undefined) return { t: 'function', module, fn: binding.fn, env };
    if (binding.kind === 'class') return { t: 'class', module, binding: binding.id };
    if (binding.kind === 'enum') return { t: 'enum', members: binding.members ?? {} };
    let whole: Term;
    if (binding.param !== undefined) {
      const bound = env.get(paramKey(module, binding.owner, binding.param));
      whole = bound ?? { t: 'param', module, fn: binding.owner, index: binding.param };
    } else if (binding.elementOf) {
      whole = { t: 'element', of: evaluate(module, binding.elementOf, env), module, binding: binding.id };
    } else if (binding.init) whole = evaluate(module, binding.init, env);
    else return opaque('mutable-binding', originOf(module, binding, env));
    const part = follow(whole, binding.path ?? []);
    if (binding.fallback && part.t === 'literal' && part.value === undefined)
      return evaluate(module, binding.fallback, env);
    return part;
  }

  function originOf(module: Module, binding: Binding, env: Env) {
    return { module, value: { k: 'ref', binding: binding.id, ...binding.range } as Value, env };
  }

  function follow(whole: Term, path: readonly PathStep[]): Term {
    let term = whole;
    for (const step of path) {
      if (typeof step !== 'string') return opaque('unknown-spread');
      term = member(term, step);
    }
    return term;
  }

  function termOf(target: Target): Term {
    switch (target.kind) {
      case 'binding':
        return evaluateBinding(target.module, target.module.bindings[target.binding]!, NO_ENV);
      case 'value':
        return evaluate(target.module, target.value, NO_ENV);
      case 'api':
        return { t: 'api', name: target.name };
      case 'external':
        return {
          t: 'external',
          source: target.source,
          name: target.name,
          dependsOnFlue: target.dependsOnFlue,
        };
      case 'namespace':
        return { t: 'namespace', of: target.of };
      case 'asset':
        return { t: 'asset', path: target.path, specifier: target.specifier };
      case 'unresolved':
        return opaque('unresolved-import');
    }
  }

  function evaluateArray(module: Module, value: Value & { k: 'array' }, env: Env): Term {
    const items: Term[] = [];
    for (const item of value.items) {
      const term = evaluate(module, item.value, env);
      if (!item.spread) items.push(term);
      else if (term.t === 'array') {
        items.push(...term.items);
        if (term.open) return { t: 'array', items, open: true };
      } else return { t: 'array', items, open: true };
    }
    return { t: 'array', items, open: false };
  }

  function evaluateCall(module: Module, call: Call, env: Env): Term {
    const callee = evaluate(module, call.callee, env);
    if (callee.t === 'api' && IDENTITY_APIS.has(callee.name) && call.args[0] && !call.args[0].spread) {
      return evaluate(module, call.args[0].value, env);
    }
    if (
      callee.t === 'external' &&
      callee.source === 'globalThis' &&
      callee.name === 'Object.freeze' &&
      call.args[0]
    ) {
      return evaluate(module, call.args[0].value, env);
    }
    if (callee.t === 'function' && !call.isNew) {
      const fn = callee.module.functions[callee.fn]!;
      const returned = fn.async || fn.generator ? undefined : returnValues(fn);
      if (returned && returned.length > 0) {
        const inner = bindArguments(callee, argumentsOf(module, call, env));
        const options = returned.map((value) =>
          value ? evaluate(callee.module, value, inner) : literal(undefined),
        );
        return choice(options, module, { k: 'call', call: call.id, start: call.start, end: call.end }, env);
      }
    }
    return { t: 'call', callee, module, call, env, awaited: false };
  }

  function choice(options: readonly Term[], module: Module, value: Value, env: Env): Term {
    const flat = options.flatMap((option) => (option.t === 'choice' ? option.options : [option]));
    if (flat.length === 1) return flat[0]!;
    if (flat.length > MAX_OPTIONS) return opaque('not-literal', { module, value, env });
    return { t: 'choice', options: flat, origin: { module, value, env } };
  }

  function argumentsOf(module: Module, call: Call, env: Env): Term[] {
    // After a spread, positions are unknown.
    const spread = call.args.findIndex((item) => item.spread);
    const known = spread < 0 ? call.args : call.args.slice(0, spread);
    return known.map((item) => evaluate(module, item.value, env));
  }

  function bindArguments(callee: Term & { t: 'function' }, args: readonly Term[]): Env {
    const env = new Map(callee.env);
    const fn = callee.module.functions[callee.fn]!;
    for (const [index, param] of fn.params.entries()) {
      const given = args[index];
      if (param.rest)
        env.set(paramKey(callee.module, fn.id, index), { t: 'array', items: args.slice(index), open: false });
      else if (given && !(param.hasDefault && given.t === 'literal' && given.value === undefined)) {
        env.set(paramKey(callee.module, fn.id, index), given);
      }
    }
    return env;
  }

  function member(object: Term, name: string): Term {
    switch (object.t) {
      case 'object':
        return property(object, name);
      case 'array':
        if (/^\d+$/.test(name)) {
          return object.items[Number(name)] ?? (object.open ? opaque('unknown-spread') : literal(undefined));
        }
        return name === 'length' && !object.open
          ? literal(object.items.length)
          : { t: 'member', object, name };
      case 'enum':
        return Object.hasOwn(object.members, name) ? literal(object.members[name]!) : opaque('not-literal');
      case 'namespace':
        return exportedBy(object.of, name);
      case 'external':
        return { ...object, name: `${object.name}.${name}` };
      case 'choice': {
        const options = object.options.map((option) => member(option, name));
        return { t: 'choice', options, origin: object.origin };
      }
      case 'literal':
        return typeof object.value === 'string' && name === 'length'
          ? literal(object.value.length)
          : { t: 'member', object, name };
      default:
        return { t: 'member', object, name };
    }
  }

  /** The last entry that may set the key decides; a spread of something unknown after it hides it. */
  function property(object: Term & { t: 'object' }, name: string): Term {
    const { module, value, env } = object;
    for (let i = value.entries.length - 1; i >= 0; i--) {
      const entry = value.entries[i]!;
      if (entry.spread !== undefined) {
        const spread = evaluate(module, entry.spread, env);
        if (spread.t === 'object') {
          const inner = property(spread, name);
          if (inner.t !== 'literal' || inner.value !== undefined) return inner;
        } else if (spread.t !== 'literal')
          return opaque('unknown-spread', { module, value: entry.spread, env });
      } else if (entry.key === null) return opaque('computed-key', { module, value: entry.value, env });
      else if (entry.key === name) return evaluate(module, entry.value, env);
    }
    return literal(undefined);
  }

  function exportedBy(of: import('./term.ts').NamespaceOf, name: string): Term {
    if (of.kind === 'flue') return { t: 'api', name };
    if (of.kind === 'external')
      return { t: 'external', source: of.source, name, dependsOnFlue: of.dependsOnFlue };
    return termOf(graph.resolveExport(of.module, name));
  }

  function substitute(term: Term, env: Env): Term {
    if (env.size === 0) return term;
    switch (term.t) {
      case 'param':
        return env.get(paramKey(term.module, term.fn, term.index)) ?? term;
      case 'element': {
        const bound = env.get(bindingKey(term.module, term.binding));
        if (bound) return bound;
        const of = substitute(term.of, env);
        return of === term.of ? term : { ...term, of };
      }
      case 'member': {
        const object = substitute(term.object, env);
        return object === term.object ? term : member(object, term.name);
      }
      case 'template':
        return joinText(term.parts.map((part) => (typeof part === 'string' ? part : substitute(part, env))));
      case 'array':
        return { ...term, items: term.items.map((item) => substitute(item, env)) };
      case 'object':
      case 'function':
      case 'call':
        return { ...term, env: extend(term.env, env) };
      case 'choice':
        // What decides may be known now, so the choice is made anew.
        return evaluate(term.origin.module, term.origin.value, extend(term.origin.env, env));
      case 'opaque':
        if (!term.origin || term.reason === 'mutable-binding') return term;
        return evaluate(term.origin.module, term.origin.value, extend(term.origin.env, env));
      default:
        return term;
    }
  }

  function extend(inner: Env, outer: Env): Env {
    if (inner.size === 0) return outer;
    const merged = new Map(outer);
    for (const [key, term] of inner) merged.set(key, substitute(term, outer));
    return merged;
  }

  return {
    evaluate: (module, value, env = NO_ENV) => evaluate(module, value, env),
    exported: (module, name) => termOf(graph.resolveExport(module, name)),
    member,
    substitute: (term, env) => {
      if (depth === 0) fuel = FUEL;
      return substitute(term, env);
    },
    bindArguments,
    argumentsOf,
  };
}

/** The function a term is a parameter of, for readers of summaries. */
export type ParamRef = { readonly module: Module; readonly fn: FunctionId; readonly index: number };
