import type { Binding, Call, Module, Value } from '../program.ts';
import type { Stability } from '../summary.ts';
import type { Evaluator, ParamRef } from './evaluate.ts';
import type { Graph } from './graph.ts';
import { returnValues } from './returns.ts';
import { apiName, type Env, NO_ENV, paramKey, type Term } from './term.ts';

/** How a value may change between renders of one instance (RULE-26), with what it still asks of the caller. */
export interface Steadiness {
  readonly level: Stability;
  /** rests on a state that nothing in sight writes: not seen to vary, and not promised to stay */
  readonly unwritten: boolean;
  readonly params: readonly ParamRef[];
}

const FIXED: Steadiness = { level: 'fixed', unwritten: false, params: [] };
const VARYING: Steadiness = { level: 'varying', unwritten: false, params: [] };
export const UNKNOWN: Steadiness = { level: 'unknown', unwritten: false, params: [] };
const UNWRITTEN: Steadiness = { level: 'unknown', unwritten: true, params: [] };

/** A compound varies if any part does, else is unknown if any part is. */
export function combine(parts: readonly Steadiness[]): Steadiness {
  if (parts.length === 1) return parts[0]!;
  let level: Stability = 'fixed';
  for (const part of parts) {
    if (part.level === 'varying') level = 'varying';
    else if (part.level === 'unknown' && level === 'fixed') level = 'unknown';
  }
  return {
    level,
    unwritten: parts.some((part) => part.unwritten),
    params: parts.flatMap((part) => part.params),
  };
}

const VARYING_CALLS = new Set([
  'Date',
  'Date.now',
  'Math.random',
  'crypto.randomUUID',
  'crypto.getRandomValues',
  'globalThis.crypto.randomUUID',
  'performance.now',
  'process.hrtime',
  'process.hrtime.bigint',
  'process.uptime',
  'process.memoryUsage',
]);
const PURE_GLOBALS =
  /^(?:String|Number|Boolean|BigInt|parseInt|parseFloat|isNaN|Array\.(?:isArray|from|of)|JSON\.(?:parse|stringify)|Math\.(?!random)\w+|Object\.(?:keys|values|entries|freeze|assign|fromEntries|hasOwn)|Number\.\w+|String\.\w+|RegExp|Set|Map|URL|encodeURIComponent|decodeURIComponent|structuredClone)$/;
const PURE_METHODS = new Set(
  (
    'at concat endsWith entries every filter find findIndex findLast flat flatMap get has includes indexOf join keys lastIndexOf ' +
    'localeCompare map match matchAll normalize padEnd padStart reduce repeat replace replaceAll search slice some split startsWith ' +
    'substring test toLowerCase toString toUpperCase trim trimEnd trimStart values toSorted toReversed toFixed charAt charCodeAt'
  ).split(' '),
);
/** Methods of strings and arrays: no hook hides behind them. */
export function isPureMethod(name: string): boolean {
  return PURE_METHODS.has(name);
}

const MAX_DEPTH = 48;

export interface StabilityOracle {
  ofValue(module: Module, value: Value, env: Env): Steadiness;
  ofTerm(term: Term): Steadiness;
  /** replace what is asked of the caller by what the caller gives */
  settle(steadiness: Steadiness, env: Env): Steadiness;
}

export function createStabilityOracle(evaluator: Evaluator, graph: Graph): StabilityOracle {
  let depth = 0;

  function ofValue(module: Module, value: Value, env: Env): Steadiness {
    if (depth >= MAX_DEPTH) return UNKNOWN;
    depth++;
    const result = judge(module, value, env);
    depth--;
    return result;
  }

  function judge(module: Module, value: Value, env: Env): Steadiness {
    const of = (part: Value) => ofValue(module, part, env);
    switch (value.k) {
      case 'literal':
      case 'undefined':
      case 'bigint':
      case 'function':
      case 'class':
      case 'regexp':
      case 'import-meta':
      case 'global':
        return FIXED;
      case 'ref':
        return ofBinding(module, module.bindings[value.binding]!, env);
      case 'member': {
        const object = evaluator.evaluate(module, value.object, env);
        return object.t === 'call' ? ofTerm({ t: 'member', object, name: value.name }) : of(value.object);
      }
      case 'index':
        return combine([of(value.object), of(value.index)]);
      case 'template':
        return combine([FIXED, ...value.parts.filter((part) => typeof part !== 'string').map(of)]);
      case 'conditional':
        return combine([of(value.test), of(value.yes), of(value.no)]);
      case 'logical':
      case 'binary':
        return combine([of(value.left), of(value.right)]);
      case 'unary':
        return of(value.operand);
      case 'array':
        return combine([FIXED, ...value.items.map((item) => of(item.value))]);
      case 'object':
        return combine([FIXED, ...value.entries.map((entry) => of(entry.spread ?? entry.value))]);
      case 'call':
        return ofCall(module, module.calls[value.call]!, env);
      case 'await':
        return combine([of(value.operand)]);
      default:
        return UNKNOWN;
    }
  }

  function ofBinding(module: Module, binding: Binding, env: Env): Steadiness {
    const given = env.get(binding);
    if (given) return ofTerm(given);
    if (binding.import) {
      const target = graph.resolveImport(module, binding.import.specifier, binding.import.name);
      if (target.kind === 'binding')
        return ofBinding(target.module, target.module.bindings[target.binding]!, NO_ENV);
      if (target.kind === 'value') return FIXED;
      return target.kind === 'external' || target.kind === 'unresolved' ? UNKNOWN : FIXED;
    }
    if (binding.assigned) return binding.owner === 0 ? VARYING : UNKNOWN;
    if (binding.fn !== undefined || binding.kind === 'class' || binding.kind === 'enum') return FIXED;
    // Evaluated once, when the module loads.
    if (binding.owner === 0) return FIXED;
    if (binding.param !== undefined) {
      const bound = env.get(paramKey(module, binding.owner, binding.param));
      if (bound) return ofTerm(bound);
      return {
        level: 'fixed',
        unwritten: false,
        params: [{ module, fn: binding.owner, index: binding.param }],
      };
    }
    if (binding.elementOf) return ofValue(module, binding.elementOf, env);
    if (!binding.init) return UNKNOWN;
    const step = binding.path?.[0];
    if (binding.init.k === 'call' && typeof step === 'string') {
      const object = evaluator.evaluate(module, binding.init, env);
      if (object.t === 'call') return ofTerm({ t: 'member', object, name: step });
    }
    return ofValue(module, binding.init, env);
  }

  function ofTerm(term: Term): Steadiness {
    if (depth >= MAX_DEPTH) return UNKNOWN;
    switch (term.t) {
      case 'literal':
      case 'function':
      case 'class':
      case 'enum':
      case 'api':
      case 'namespace':
      case 'asset':
        return FIXED;
      case 'external':
        return term.source === 'globalThis' || term.source === 'valibot' ? FIXED : UNKNOWN;
      case 'object':
        return ofValue(term.module, term.value, term.env);
      case 'array':
        return combine([term.open ? UNKNOWN : FIXED, ...term.items.map(ofTerm)]);
      case 'call':
        return ofCall(term.module, term.call, term.env);
      case 'member':
        if (term.object.t === 'call' && apiName(term.object.callee) === 'usePersistentState') {
          return term.name === '1' ? FIXED : ofState(term.object);
        }
        return ofTerm(term.object);
      case 'element':
        return ofTerm(term.of);
      case 'param':
        return {
          level: 'fixed',
          unwritten: false,
          params: [{ module: term.module, fn: term.fn, index: term.index }],
        };
      case 'template':
        return combine([FIXED, ...term.parts.filter((part) => typeof part !== 'string').map(ofTerm)]);
      case 'choice':
        return ofValue(term.origin.module, term.origin.value, term.origin.env);
      case 'opaque':
        return term.origin ? ofValue(term.origin.module, term.origin.value, term.origin.env) : UNKNOWN;
    }
  }

  function ofState({ module, call }: Term & { t: 'call' }): Steadiness {
    const parts = module.bindings.filter(
      (binding) => binding.init?.k === 'call' && binding.init.call === call.id,
    );
    const setter = parts.find((binding) => binding.path?.[0] === '1');
    const whole = parts.some((binding) => binding.path === undefined);
    return whole || (setter && setter.reads > 0) ? VARYING : UNWRITTEN;
  }

  function ofCall(module: Module, call: Call, env: Env): Steadiness {
    const callee = evaluator.evaluate(module, call.callee, env);
    const args = () => call.args.map((item) => ofValue(module, item.value, env));
    switch (callee.t) {
      case 'api':
        if (callee.name === 'useDelivery') return VARYING;
        if (callee.name === 'usePersistentState')
          return ofState({ t: 'call', callee, module, call, env, awaited: false });
        return callee.name.startsWith('define') || callee.name.startsWith('use') ? FIXED : UNKNOWN;
      case 'external':
        if (callee.source === 'globalThis') {
          if (VARYING_CALLS.has(callee.name))
            return callee.name === 'Date' && call.args.length > 0 ? combine(args()) : VARYING;
          return PURE_GLOBALS.test(callee.name) ? combine([FIXED, ...args()]) : UNKNOWN;
        }
        return /^(?:randomUUID|randomBytes|ulid|nanoid)$/.test(callee.name) ? VARYING : UNKNOWN;
      case 'function': {
        const fn = callee.module.functions[callee.fn]!;
        const returned = fn.async || fn.generator ? undefined : returnValues(fn);
        const only = returned?.length === 1 ? returned[0] : undefined;
        if (!only) return UNKNOWN;
        const inner = evaluator.bindArguments(callee, evaluator.argumentsOf(module, call, env));
        return ofValue(callee.module, only, inner);
      }
      default:
        if (call.callee.k === 'member' && PURE_METHODS.has(call.callee.name)) {
          return combine([ofValue(module, call.callee.object, env), ...args()]);
        }
        return UNKNOWN;
    }
  }

  function settle(steadiness: Steadiness, env: Env): Steadiness {
    if (steadiness.params.length === 0) return steadiness;
    const parts = steadiness.params.map((param): Steadiness => {
      const given = env.get(paramKey(param.module, param.fn, param.index));
      return given ? ofTerm(given) : { level: 'fixed', unwritten: false, params: [param] };
    });
    return combine([{ ...steadiness, params: [] }, ...parts]);
  }

  return { ofValue, ofTerm, settle };
}
