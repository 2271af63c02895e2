import type { Binding, BindingId, Block, Fn, FunctionId, Module, Op, Range, Value } from '../program.ts';
import { TOP_LEVEL } from '../program.ts';
import type { World } from './world.ts';

/** Tests whose outcome is remembered between branches of one function (RULE-24). */
const MAX_TRACKED = 8;
/** Values that stand for values, one after another, before the chain is given up. */
const MAX_ORIGINS = 8;

/** One activation of a function: what it tests is not what another activation of it tests. */
export interface Frame {
  readonly module: Module;
  readonly fn: FunctionId;
  /** sets the activation apart; empty for the function under analysis */
  readonly key: string;
  /** who called it */
  readonly caller: Frame | undefined;
  /** arguments, by the parameter that stands for each; they are values of the caller */
  readonly given: ReadonlyMap<BindingId, Value>;
}

export function frameOf(module: Module, fn: FunctionId): Frame {
  return { module, fn, key: '', caller: undefined, given: new Map() };
}

/** `path` is a value that cannot change during the call; `equals` is what it is compared with. */
interface Predicate {
  readonly path: string;
  readonly equals: string | undefined;
  readonly truthyLiteral: boolean;
  readonly positive: boolean;
}

interface Origin {
  readonly frame: Frame;
  readonly value: Value;
}

/** What a name stands for: the argument of a parameter, the initial value of a constant. */
function originOf(frame: Frame, binding: Binding): Origin | undefined {
  if (binding.assigned || binding.path?.length || binding.fallback) return undefined;
  const home = homeOf(frame, binding) ?? frame;
  if (binding.param !== undefined) {
    const value = home.given.get(binding.id);
    return value && home.caller && { frame: home.caller, value };
  }
  if (!binding.init || binding.elementOf || (binding.kind !== 'const' && binding.kind !== 'let'))
    return undefined;
  return { frame: home, value: binding.init };
}

/** The activation that a name belongs to. */
function homeOf(frame: Frame, binding: Binding): Frame | undefined {
  for (let home: Frame | undefined = frame; home; home = home.caller) {
    if (home.module === frame.module && home.fn === binding.owner) return home;
  }
  return undefined;
}

function pathOf(frame: Frame, value: Value, depth = 0): string | undefined {
  if (value.k === 'ref') {
    const binding = frame.module.bindings[value.binding]!;
    if (binding.assigned) return undefined;
    const origin = depth < MAX_ORIGINS ? originOf(frame, binding) : undefined;
    return (origin && pathOf(origin.frame, origin.value, depth + 1)) ?? ownPath(frame, binding);
  }
  if (value.k !== 'member') return undefined;
  const object = pathOf(frame, value.object, depth);
  return object === undefined ? undefined : `${object}.${value.name}`;
}

function ownPath(frame: Frame, binding: Binding): string {
  const home = binding.owner === TOP_LEVEL ? frame.module.path : (homeOf(frame, binding) ?? frame).key;
  return `${home}/${binding.id}`;
}

/** What a name is made of, where that is more than another name: `const off = !on`. */
function derivedFrom(frame: Frame, test: Value): Origin | undefined {
  if (test.k !== 'ref') return undefined;
  let origin = originOf(frame, frame.module.bindings[test.binding]!);
  for (let i = 0; i < MAX_ORIGINS && origin?.value.k === 'ref'; i++)
    origin = originOf(origin.frame, origin.frame.module.bindings[origin.value.binding]!);
  return origin && /^(?:unary|logical|binary|literal)$/.test(origin.value.k) ? origin : undefined;
}

export function literalKey(value: Value): string | undefined {
  if (value.k === 'literal') return JSON.stringify(value.value);
  return value.k === 'undefined' ? 'undefined' : undefined;
}

function predicateOf(frame: Frame, test: Value): Predicate | undefined {
  if (test.k === 'binary' && /^[!=]==?$/.test(test.op)) {
    const [subject, other] =
      literalKey(test.right) === undefined ? [test.right, test.left] : [test.left, test.right];
    const path = pathOf(frame, subject);
    const equals = literalKey(other);
    if (path === undefined || equals === undefined) return undefined;
    return { path, equals, truthyLiteral: isTruthy(other), positive: test.op[0] === '=' };
  }
  const path = pathOf(frame, test);
  return path === undefined ? undefined : { path, equals: undefined, truthyLiteral: false, positive: true };
}

function isTruthy(value: Value): boolean {
  return value.k === 'literal' && Boolean(value.value);
}

export function equality(subject: Value, literal: Value): Value {
  const range = { start: literal.start, end: literal.end };
  return { k: 'binary', op: '===', left: subject, right: literal, ...range };
}

/** The paths that more than one test asks about, or one test again and again: only these can contradict each other. */
export function trackedPaths(frame: Frame, fn: Fn): ReadonlySet<string> {
  const repeated = [...pathsAsked(frame, fn)].filter(([, count]) => count > 1).map(([path]) => path);
  return new Set(repeated.slice(0, MAX_TRACKED));
}

const askedOf = new WeakMap<Fn, ReadonlySet<number>>();

/** The parameters that a function tests, or hands on to a function that may. */
export function parametersAsked(module: Module, fn: Fn): ReadonlySet<number> {
  const known = askedOf.get(fn);
  if (known) return known;
  const paths = [...pathsAsked(frameOf(module, fn.id), fn).keys()];
  const asked = new Set<number>();
  for (const [index, { bindings }] of fn.params.entries()) {
    if (bindings.some((id) => paths.some((path) => path === `/${id}` || path.startsWith(`/${id}.`))))
      asked.add(index);
  }
  askedOf.set(fn, asked);
  return asked;
}

/** The paths in the tests of a function, and in what it hands to functions of the project, by how often. */
function pathsAsked(frame: Frame, fn: Fn): ReadonlyMap<string, number> {
  const uses = new Map<string, number>();
  const note = (test: Value | undefined, times: number): void => {
    for (const path of test ? pathsIn({ frame, value: test }) : [])
      uses.set(path, (uses.get(path) ?? 0) + times);
  };
  const visitAll = (block: Block, times: number): void => {
    for (const op of block) visit(op, times);
  };
  const visit = (op: Op, times: number): void => {
    switch (op.op) {
      case 'call': {
        const { callee, args } = frame.module.calls[op.call]!;
        if (mayBeProject(frame.module, callee)) for (const { value } of args) note(value, times);
        // Functions that are written here and run here: at once, or for each of something.
        if (callee.k === 'function') visitAll(frame.module.functions[callee.fn]!.body, times);
        for (const { value } of args)
          if (value.k === 'function') visitAll(frame.module.functions[value.fn]!.body, 2);
        break;
      }
      case 'branch':
        note(op.test, times);
        visitAll(op.yes, times);
        visitAll(op.no, times);
        break;
      case 'switch':
        for (const clause of op.cases) {
          if (clause.test) note(equality(op.subject, clause.test), times);
          visitAll(clause.testOps, times);
          visitAll(clause.body, times);
        }
        break;
      case 'loop':
        note(op.test, 2);
        for (const block of [op.testOps, op.body, op.step]) visitAll(block, 2);
        break;
      case 'try':
        for (const block of [op.body, op.handler, op.finalizer]) if (block) visitAll(block, times);
        break;
      case 'labelled':
        visitAll(op.body, times);
    }
  };
  visitAll(fn.body, 1);
  return uses;
}

/** The paths that decide a test. */
function pathsIn({ frame, value }: Origin, depth = 0): string[] {
  if (depth > MAX_ORIGINS) return [];
  if (value.k === 'unary') return value.op === '!' ? pathsIn({ frame, value: value.operand }, depth + 1) : [];
  if (value.k === 'logical')
    return [value.left, value.right].flatMap((part) => pathsIn({ frame, value: part }, depth + 1));
  const path = predicateOf(frame, value)?.path;
  const origin = derivedFrom(frame, value);
  return [...(path === undefined ? [] : [path]), ...(origin ? pathsIn(origin, depth + 1) : [])];
}

function mayBeProject(module: Module, callee: Value): boolean {
  if (callee.k !== 'ref') return false;
  const binding = module.bindings[callee.binding]!;
  return binding.import ? module.resolutions[binding.import.specifier]?.kind === 'project' : true;
}

function keyOf({ path, equals }: Predicate): string {
  return equals === undefined ? path : `${path}=${equals}`;
}

/** What the world already knows of the test. */
export function known(frame: Frame, world: World, test: Value, depth = 0): boolean | undefined {
  if (test.k === 'literal') return Boolean(test.value);
  if (depth > MAX_ORIGINS) return undefined;
  if (test.k === 'unary' && test.op === '!') return negate(known(frame, world, test.operand, depth));
  if (test.k === 'logical' && test.op !== '??') {
    const left = known(frame, world, test.left, depth);
    const right = known(frame, world, test.right, depth);
    const decides = test.op === '||';
    if (left === decides || right === decides) return decides;
    return left === undefined || right === undefined ? undefined : !decides;
  }
  const predicate = world.assume.size > 0 ? predicateOf(frame, test) : undefined;
  const truth = predicate && lookUp(world, predicate);
  if (predicate && truth !== undefined) return truth === predicate.positive;
  const origin = derivedFrom(frame, test);
  return origin && known(origin.frame, world, origin.value, depth + 1);
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

/** The worlds in which the test came out as `truth`: several, where that has several reasons. */
export function assume(
  frame: Frame,
  world: World,
  test: Value,
  truth: boolean,
  tracked: ReadonlySet<string>,
  depth = 0,
): World[] {
  if (tracked.size === 0 || depth > MAX_ORIGINS) return [world];
  const given = (from: World, part: Value, outcome: boolean) =>
    known(frame, from, part) === !outcome ? [] : assume(frame, from, part, outcome, tracked, depth);
  if (test.k === 'unary' && test.op === '!') return given(world, test.operand, !truth);
  if (test.k === 'logical' && test.op !== '??') {
    const both = (test.op === '&&') === truth;
    if (both) return given(world, test.left, truth).flatMap((left) => given(left, test.right, truth));
    // Either the left side decided, or it did not and the right side did.
    const short = given(world, test.left, truth);
    const long = given(world, test.left, !truth).flatMap((left) => given(left, test.right, truth));
    return short.includes(world) || long.includes(world) ? [world] : [...short, ...long];
  }
  const predicate = predicateOf(frame, test);
  const learnt = predicate && tracked.has(predicate.path) ? remember(world, predicate, truth) : world;
  const origin = derivedFrom(frame, test);
  return origin ? assume(origin.frame, learnt, origin.value, truth, tracked, depth + 1) : [learnt];
}

function remember(world: World, predicate: Predicate, truth: boolean): World {
  const key = keyOf(predicate);
  const outcome = truth === predicate.positive;
  if (world.assume.get(key) === outcome) return world;
  return {
    ...world,
    assume: new Map([...world.assume, [key, outcome] as const].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

/** Whether an argument may bring with it what the caller has learnt. */
export function isTracked(frame: Frame, value: Value, tracked: ReadonlySet<string>): boolean {
  return tracked.size > 0 && pathsIn({ frame, value }).some((path) => tracked.has(path));
}

/** What was known inside calls of the frame that are over. */
export function forgetCalls(frame: Frame, worlds: readonly World[]): World[] {
  const isInside = (key: string) => key.startsWith(frame.key) && /^\d+>/.test(key.slice(frame.key.length));
  return worlds.map((world) => forget(world, isInside));
}

/** What was known of names that a loop declares anew on each pass. */
export function forgetDeclaredIn(frame: Frame, range: Range, worlds: readonly World[]): World[] {
  const isInside = (key: string): boolean => {
    if (!key.startsWith(`${frame.key}/`)) return false;
    const binding = frame.module.bindings[Number.parseInt(key.slice(frame.key.length + 1), 10)];
    return binding !== undefined && binding.range.start >= range.start && binding.range.end <= range.end;
  };
  return worlds.map((world) => forget(world, isInside));
}

function forget(world: World, isOver: (key: string) => boolean): World {
  if (world.assume.size === 0) return world;
  const kept = [...world.assume].filter(([key]) => !isOver(key));
  return kept.length === world.assume.size ? world : { ...world, assume: new Map(kept) };
}
