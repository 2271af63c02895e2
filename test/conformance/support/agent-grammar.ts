import fc from 'fast-check';

/**
 * The bodies of agents and custom hooks that the property test generates: every form of control flow around the hooks
 * whose number and names the rules of hooks count.
 */
export type Statement =
  | { readonly kind: 'hook'; readonly hook: HookUse }
  | { readonly kind: 'if'; readonly test: Test; readonly yes: Body; readonly no: Body | undefined }
  | { readonly kind: 'logical'; readonly test: Test; readonly operator: '&&' | '||'; readonly hook: HookUse }
  /** `a ?? hook()`, where `a` may be nothing */
  | { readonly kind: 'nullish'; readonly hook: HookUse }
  /** `if ((test && (one(), true)) || (other(), false))` */
  | {
      readonly kind: 'either';
      readonly test: Test;
      readonly one: HookUse;
      readonly other: HookUse;
      readonly body: Body;
    }
  | { readonly kind: 'ternary'; readonly test: Test; readonly yes: HookUse; readonly no: HookUse }
  | {
      readonly kind: 'switch';
      /** a value that other tests ask about, or one of its own */
      readonly subject: 'kind' | 'fresh';
      readonly cases: readonly SwitchCase[];
    }
  /** over a literal of so many items */
  | { readonly kind: 'for-literal'; readonly items: number; readonly body: Body; readonly label: boolean }
  | { readonly kind: 'for-tools'; readonly tools: readonly ToolName[] }
  | { readonly kind: 'for-names'; readonly names: readonly StateName[] }
  /** over a list of unknown length */
  | { readonly kind: 'for-list'; readonly body: Body; readonly label: boolean }
  | { readonly kind: 'while'; readonly body: Body; readonly label: boolean }
  | { readonly kind: 'do-while'; readonly body: Body; readonly label: boolean }
  /** `for (;;)`, left by a `break` at its beginning */
  | { readonly kind: 'endless'; readonly body: Body; readonly label: boolean }
  /** a callback for each of so many items, or of a list of unknown length */
  | { readonly kind: 'each'; readonly items: number | 'list'; readonly body: Body }
  /** a function that is called where it is written */
  | { readonly kind: 'at-once'; readonly body: Body }
  | { readonly kind: 'labelled'; readonly body: Body }
  /** what leads nowhere where it stands, as `break` outside of loops, stands for `return` */
  | { readonly kind: 'leave'; readonly test: Test; readonly by: Leaving }
  | { readonly kind: 'leave-always'; readonly by: Leaving }
  | {
      readonly kind: 'try';
      readonly body: Body;
      readonly handler: Body | undefined;
      readonly finalizer: Body | undefined;
    }
  | { readonly kind: 'custom'; readonly hook: CustomHook; readonly argument: Argument };
export type Body = readonly Statement[];

export type CustomHook = 'useHere' | 'useThere';
export type Argument = Test | 'true' | 'false';
export type ToolName = 't1' | 't2';
export type StateName = 'a' | 'b';
export type HookUse =
  | { readonly hook: 'useModel' }
  | { readonly hook: 'useInstruction' }
  | { readonly hook: 'useTool'; readonly tool: ToolName; readonly isInline: boolean }
  | { readonly hook: 'usePersistentState'; readonly name: StateName };

/** `default` in any place; a case without its `break` falls through to the next. */
export interface SwitchCase {
  readonly on: 'a' | 'b' | 'default';
  readonly body: Body;
  readonly breaks: boolean;
}

/** `outer`: of the outermost label. */
export type Leaving =
  | 'return'
  | 'throw'
  | 'break'
  | 'continue'
  | 'break inner'
  | 'break outer'
  | 'continue outer';

/**
 * Tests of what nobody can compute ahead of time: asked once, as `first`, `second` and `kind`, once per pass of a loop, as
 * `here`, or anew where they stand.
 */
export const TESTS = [
  'first',
  '!first',
  'second',
  '!second',
  'off',
  'first && second',
  'first || second',
  '!(first && second)',
  "kind === 'a'",
  "kind !== 'b'",
  'here',
  '!here',
  'first && fresh',
  'fresh || !second',
  'fresh',
  'fresh && fresh',
  '(fresh || fresh)',
] as const;
export type Test = (typeof TESTS)[number];

export interface AgentSource {
  readonly agent: Body;
  /** custom hook in the agent's module; may call the other */
  readonly here: Body;
  /** custom hook in another module */
  readonly there: Body;
}

/** Every statement of a body, the nested ones included. */
export function walk(body: Body): Statement[] {
  return body.flatMap((statement) => [statement, ...walk(nestedIn(statement))]);
}

function nestedIn(statement: Statement): Body {
  switch (statement.kind) {
    case 'if':
      return [...statement.yes, ...(statement.no ?? [])];
    case 'switch':
      return statement.cases.flatMap(({ body }) => body);
    case 'try':
      return [...statement.body, ...(statement.handler ?? []), ...(statement.finalizer ?? [])];
    default:
      return 'body' in statement ? statement.body : [];
  }
}

const hookUse: fc.Arbitrary<HookUse> = fc.oneof(
  { weight: 3, arbitrary: fc.constant({ hook: 'useModel' } as const) },
  { weight: 1, arbitrary: fc.constant({ hook: 'useInstruction' } as const) },
  {
    weight: 3,
    arbitrary: fc.record({
      hook: fc.constant('useTool' as const),
      tool: fc.constantFrom<ToolName>('t1', 't2'),
      isInline: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      hook: fc.constant('usePersistentState' as const),
      name: fc.constantFrom<StateName>('a', 'b'),
    }),
  },
);

const test = fc.constantFrom(...TESTS);
const leaving = fc.constantFrom<Leaving>(
  'return',
  'throw',
  'break',
  'continue',
  'break inner',
  'break outer',
  'continue outer',
);

interface Ties {
  readonly statement: Statement;
  readonly body: Body;
  readonly short: Body;
}

type Shapes = { readonly [K in Statement['kind']]: fc.Arbitrary<Extract<Statement, { kind: K }>> };

/** `calls`: the custom hooks that a body may call, so that none calls itself. */
function bodyOf(calls: readonly CustomHook[]): fc.Arbitrary<Body> {
  const { body } = fc.letrec<Ties>((tie: fc.LetrecTypedTie<Ties>) => {
    const shapes = shapesOf(tie('short'), calls);
    return {
      body: fc.array(tie('statement'), { minLength: 1, maxLength: 4 }),
      short: fc.array(tie('statement'), { minLength: 1, maxLength: 2 }),
      statement: fc.oneof(
        { maxDepth: 3, depthIdentifier: 'body' },
        { weight: 4, arbitrary: shapes.hook },
        ...LEAVES.filter((kind) => kind !== 'custom' || calls.length > 0).map((kind) => shapes[kind]),
        { weight: 2, arbitrary: shapes.if },
        { weight: 2, arbitrary: shapes.try },
        ...NESTING.map((kind) => shapes[kind]),
      ) as fc.Arbitrary<Statement>,
    };
  });
  return body;
}

/** Statements that hold no others, and those that do. */
const LEAVES = ['logical', 'nullish', 'ternary', 'for-tools', 'for-names', 'leave', 'custom'] as const;
const NESTING = [
  'either',
  'switch',
  'for-literal',
  'for-list',
  'while',
  'do-while',
  'endless',
  'each',
  'at-once',
  'labelled',
] as const;

function shapesOf(short: fc.Arbitrary<Body>, calls: readonly CustomHook[]): Shapes {
  const kind = <K extends Statement['kind']>(name: K) => fc.constant(name);
  const loop = <K extends 'for-list' | 'while' | 'do-while' | 'endless'>(name: K) =>
    fc.record({ kind: kind(name), body: short, label: fc.boolean() });
  const optional = fc.option(short, { nil: undefined });
  const leave = fc.record({ kind: kind('leave'), test, by: leaving });
  const leaveAlways = fc.record({ kind: kind('leave-always'), by: leaving });
  const finalizer = fc
    .tuple(short, fc.option(leaveAlways, { nil: undefined, freq: 3 }))
    .map(([body, last]): Body => (last ? [...body, last] : body));
  return {
    hook: fc.record({ kind: kind('hook'), hook: hookUse }),
    if: fc.record({ kind: kind('if'), test, yes: short, no: optional }),
    logical: fc.record({
      kind: kind('logical'),
      test,
      operator: fc.constantFrom('&&' as const, '||' as const),
      hook: hookUse,
    }),
    nullish: fc.record({ kind: kind('nullish'), hook: hookUse }),
    either: fc.record({ kind: kind('either'), test, one: hookUse, other: hookUse, body: short }),
    ternary: fc.record({ kind: kind('ternary'), test, yes: hookUse, no: hookUse }),
    switch: fc.record({
      kind: kind('switch'),
      subject: fc.constantFrom('kind' as const, 'fresh' as const),
      cases: switchCases(short),
    }),
    'for-literal': fc.record({
      kind: kind('for-literal'),
      items: fc.nat({ max: 3 }),
      body: short,
      label: fc.boolean(),
    }),
    'for-tools': fc.record({
      kind: kind('for-tools'),
      tools: fc.array(fc.constantFrom<ToolName>('t1', 't2'), { maxLength: 2 }),
    }),
    'for-names': fc.record({
      kind: kind('for-names'),
      names: fc.array(fc.constantFrom<StateName>('a', 'b'), { maxLength: 2 }),
    }),
    'for-list': loop('for-list'),
    while: loop('while'),
    'do-while': loop('do-while'),
    endless: loop('endless'),
    each: fc.record({
      kind: kind('each'),
      items: fc.constantFrom(1, 2, 'list' as const),
      body: short,
    }),
    'at-once': fc.record({ kind: kind('at-once'), body: short }),
    labelled: fc.record({ kind: kind('labelled'), body: short }),
    leave,
    'leave-always': leaveAlways,
    try: fc
      .record({ kind: kind('try'), body: short, handler: optional, finalizer: fc.option(finalizer) })
      .map(({ finalizer, ...rest }) => {
        const closed = finalizer ?? (rest.handler ? undefined : []);
        return { ...rest, finalizer: closed };
      }),
    custom: fc.record({
      kind: kind('custom'),
      hook: fc.constantFrom(...(calls.length > 0 ? calls : ['useThere' as const])),
      argument: fc.constantFrom<Argument>(...TESTS, 'true', 'false'),
    }),
  };
}

/** One case alone, or a list with a `default` somewhere: several cases without one may be all there are (FLUE2101.n5). */
function switchCases(short: fc.Arbitrary<Body>): fc.Arbitrary<SwitchCase[]> {
  const body = fc.oneof({ weight: 4, arbitrary: short }, { weight: 1, arbitrary: fc.constant<Body>([]) });
  const on = (value: SwitchCase['on']) => fc.record({ on: fc.constant(value), body, breaks: fc.boolean() });
  return fc.oneof(
    fc.tuple(on('a')),
    fc.tuple(on('default')),
    fc
      .shuffledSubarray(['a', 'b', 'default'] as const, { minLength: 3 })
      .chain((order) => fc.tuple(...order.map(on))),
    fc
      .shuffledSubarray(['a', 'default'] as const, { minLength: 2 })
      .chain((order) => fc.tuple(...order.map(on))),
  );
}

export const agentSource: fc.Arbitrary<AgentSource> = fc.record({
  agent: bodyOf(['useHere', 'useThere']),
  here: bodyOf(['useThere']),
  there: bodyOf([]),
});
