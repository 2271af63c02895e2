import type { Block, Fn, Module, Op, Value } from '../program.ts';
import type { World } from './world.ts';

/** Tests whose outcome is remembered between branches of one function (RULE-24). */
const MAX_TRACKED = 8;

/** `path` is a value that cannot change during the call; `equals` is what it is compared with. */
interface Predicate {
  readonly path: string;
  readonly equals: string | undefined;
  readonly truthyLiteral: boolean;
  readonly positive: boolean;
}

function pathOf(module: Module, value: Value): string | undefined {
  if (value.k === 'ref') {
    const binding = module.bindings[value.binding]!;
    return binding.assigned ? undefined : `${value.binding}`;
  }
  if (value.k !== 'member') return undefined;
  const object = pathOf(module, value.object);
  return object === undefined ? undefined : `${object}.${value.name}`;
}

export function literalKey(value: Value): string | undefined {
  if (value.k === 'literal') return JSON.stringify(value.value);
  return value.k === 'undefined' ? 'undefined' : undefined;
}

function predicateOf(module: Module, test: Value): Predicate | undefined {
  if (test.k === 'unary' && test.op === '!') {
    const inner = predicateOf(module, test.operand);
    return inner && { ...inner, positive: !inner.positive };
  }
  if (test.k === 'binary' && /^[!=]==?$/.test(test.op)) {
    const [subject, other] =
      literalKey(test.right) === undefined ? [test.right, test.left] : [test.left, test.right];
    const path = pathOf(module, subject);
    const equals = literalKey(other);
    if (path === undefined || equals === undefined) return undefined;
    return { path, equals, truthyLiteral: isTruthy(other), positive: test.op[0] === '=' };
  }
  const path = pathOf(module, test);
  return path === undefined ? undefined : { path, equals: undefined, truthyLiteral: false, positive: true };
}

function isTruthy(value: Value): boolean {
  return value.k === 'literal' && Boolean(value.value);
}

export function equality(subject: Value, literal: Value): Value {
  const range = { start: literal.start, end: literal.end };
  return { k: 'binary', op: '===', left: subject, right: literal, ...range };
}

/** The paths that more than one test of the function asks about: only these can contradict each other. */
export function trackedPaths(module: Module, fn: Fn): ReadonlySet<string> {
  const uses = new Map<string, number>();
  const note = (test: Value | undefined): void => {
    if (!test) return;
    if (test.k === 'logical') {
      note(test.left);
      note(test.right);
      return;
    }
    const path = predicateOf(module, test)?.path;
    if (path !== undefined) uses.set(path, (uses.get(path) ?? 0) + 1);
  };
  const visit = (op: Op): void => {
    switch (op.op) {
      case 'branch':
        note(op.test);
        visitAll(op.yes);
        visitAll(op.no);
        break;
      case 'switch':
        for (const clause of op.cases) {
          if (clause.test) note(equality(op.subject, clause.test));
          visitAll(clause.body);
        }
        break;
      case 'loop':
        note(op.test);
        visitAll(op.body);
        break;
      case 'try':
        for (const block of [op.body, op.handler, op.finalizer]) if (block) visitAll(block);
        break;
      case 'labelled':
        visitAll(op.body);
    }
  };
  const visitAll = (block: Block): void => block.forEach(visit);
  visitAll(fn.body);
  const repeated = [...uses].filter(([, count]) => count > 1).map(([path]) => path);
  return new Set(repeated.slice(0, MAX_TRACKED));
}

function keyOf({ path, equals }: Predicate): string {
  return equals === undefined ? path : `${path}=${equals}`;
}

/** What the world already knows of the test. */
export function known(module: Module, world: World, test: Value): boolean | undefined {
  if (world.assume.size === 0) return undefined;
  if (test.k === 'unary' && test.op === '!') return negate(known(module, world, test.operand));
  if (test.k === 'logical' && test.op !== '??') {
    const left = known(module, world, test.left);
    const right = known(module, world, test.right);
    const decides = test.op === '||';
    if (left === decides || right === decides) return decides;
    return left === undefined || right === undefined ? undefined : !decides;
  }
  const predicate = predicateOf(module, test);
  if (!predicate) return undefined;
  const truth = lookUp(world, predicate);
  return truth === undefined ? undefined : truth === predicate.positive;
}

function negate(truth: boolean | undefined): boolean | undefined {
  return truth === undefined ? undefined : !truth;
}

function lookUp(world: World, predicate: Predicate): boolean | undefined {
  const own = world.assume.get(keyOf(predicate));
  if (own !== undefined) return own;
  if (predicate.equals === undefined) {
    for (const [key, truth] of world.assume) {
      if (truth && key.startsWith(`${predicate.path}=`)) {
        return !/=(?:""|0|null|false|undefined)$/.test(key);
      }
    }
    return undefined;
  }
  for (const [key, truth] of world.assume) {
    if (truth && key.startsWith(`${predicate.path}=`)) return false;
  }
  const truthy = world.assume.get(predicate.path);
  return truthy === false && predicate.truthyLiteral ? false : undefined;
}

/** The world in which the test came out as `truth`. */
export function assume(
  module: Module,
  world: World,
  test: Value,
  truth: boolean,
  tracked: ReadonlySet<string>,
): World {
  if (tracked.size === 0) return world;
  if (test.k === 'unary' && test.op === '!') return assume(module, world, test.operand, !truth, tracked);
  if (test.k === 'logical' && test.op === (truth ? '&&' : '||')) {
    return assume(module, assume(module, world, test.left, truth, tracked), test.right, truth, tracked);
  }
  const predicate = predicateOf(module, test);
  if (!predicate || !tracked.has(predicate.path)) return world;
  const key = keyOf(predicate);
  const outcome = truth === predicate.positive;
  if (world.assume.get(key) === outcome) return world;
  return {
    ...world,
    assume: new Map([...world.assume, [key, outcome] as const].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}
