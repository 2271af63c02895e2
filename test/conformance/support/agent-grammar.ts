import fc from 'fast-check';

/**
 * The bodies of agents and custom hooks that the property test generates: every form of control flow around the hooks
 * whose number and names the rules of hooks count.
 */
export type Statement =
  | { readonly kind: 'hook'; readonly hook: HookUse }
  | { readonly kind: 'if'; readonly test: Test; readonly yes: Body; readonly no: Body | undefined }
  | { readonly kind: 'logical'; readonly test: Test; readonly operator: '&&' | '||'; readonly hook: HookUse }
  | { readonly kind: 'ternary'; readonly test: Test; readonly yes: HookUse; readonly no: HookUse }
  /** `case 'a'` alone, or with `case 'b'` and `default`; a case without its `break` falls through */
  | { readonly kind: 'switch'; readonly cases: readonly { readonly body: Body; readonly breaks: boolean }[] }
  /** over a literal of so many items */
  | { readonly kind: 'for-literal'; readonly items: number; readonly body: Body }
  | { readonly kind: 'for-tools'; readonly tools: readonly ToolName[] }
  | { readonly kind: 'for-names'; readonly names: readonly StateName[] }
  /** over a list of unknown length */
  | { readonly kind: 'for-list'; readonly body: Body }
  | { readonly kind: 'do-while'; readonly body: Body }
  /** `break` and `continue` stand for `return` outside a loop */
  | { readonly kind: 'leave'; readonly test: Test; readonly by: 'return' | 'throw' | 'break' | 'continue' }
  | {
      readonly kind: 'try';
      readonly body: Body;
      readonly handler: Body;
      readonly closes: 'catch' | 'finally';
    }
  | { readonly kind: 'custom'; readonly hook: 'useHere' | 'useThere' };
export type Body = readonly Statement[];

export type ToolName = 't1' | 't2';
export type StateName = 'a' | 'b';
export type HookUse =
  | { readonly hook: 'useModel' }
  | { readonly hook: 'useInstruction' }
  | { readonly hook: 'useTool'; readonly tool: ToolName; readonly isInline: boolean }
  | { readonly hook: 'usePersistentState'; readonly name: StateName };

/** Booleans that nobody can compute ahead of time: asked once, as `first` and `second`, or anew where they stand. */
export type Test =
  | 'first'
  | 'not first'
  | 'second'
  | 'not second'
  | 'fresh'
  | 'two fresh'
  | 'one of two fresh';

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
      return [...statement.body, ...statement.handler];
    case 'for-literal':
    case 'for-list':
    case 'do-while':
      return statement.body;
    default:
      return [];
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

const freshTest = fc.constantFrom<Test>('fresh', 'two fresh', 'one of two fresh');
const test = fc.oneof(fc.constantFrom<Test>('first', 'not first', 'second', 'not second'), freshTest);

function leaving(test: fc.Arbitrary<Test>): fc.Arbitrary<Statement> {
  return fc.record({
    kind: fc.constant('leave' as const),
    test,
    by: fc.constantFrom('return', 'throw', 'break', 'continue'),
  });
}

/** What a `try` body is made of: ways to leave it. What the compiler makes of others is in the counterexamples. */
const guarded: fc.Arbitrary<Body> = fc.array(
  fc.oneof(
    leaving(freshTest),
    fc.record({
      kind: fc.constant('if' as const),
      test: freshTest,
      yes: fc.tuple(leaving(freshTest)),
      no: fc.option(fc.tuple(leaving(freshTest)), { nil: undefined }),
    }),
  ),
  { minLength: 1, maxLength: 2 },
);

interface Ties {
  readonly statement: Statement;
  readonly body: Body;
  readonly short: Body;
  readonly oneCase: { readonly body: Body; readonly breaks: boolean };
}

/** `calls`: the custom hooks that a body may call, so that none calls itself. */
function bodyOf(calls: readonly ('useHere' | 'useThere')[]): fc.Arbitrary<Body> {
  const { body } = fc.letrec<Ties>((tie: fc.LetrecTypedTie<Ties>) => ({
    body: fc.array(tie('statement'), { minLength: 1, maxLength: 4 }),
    short: fc.array(tie('statement'), { minLength: 1, maxLength: 2 }),
    oneCase: fc.record({ body: tie('short'), breaks: fc.boolean() }),
    statement: fc.oneof(
      { maxDepth: 3, depthIdentifier: 'body' },
      fc.record({ kind: fc.constant('hook' as const), hook: hookUse }),
      fc.record({
        kind: fc.constant('logical' as const),
        test,
        operator: fc.constantFrom('&&' as const, '||' as const),
        hook: hookUse,
      }),
      fc.record({ kind: fc.constant('ternary' as const), test, yes: hookUse, no: hookUse }),
      fc.record({
        kind: fc.constant('for-tools' as const),
        tools: fc.array(fc.constantFrom<ToolName>('t1', 't2'), { maxLength: 2 }),
      }),
      fc.record({
        kind: fc.constant('for-names' as const),
        names: fc.array(fc.constantFrom<StateName>('a', 'b'), { maxLength: 2 }),
      }),
      leaving(test),
      ...(calls.length > 0
        ? [fc.record({ kind: fc.constant('custom' as const), hook: fc.constantFrom(...calls) })]
        : []),
      fc.record({
        kind: fc.constant('if' as const),
        test,
        yes: tie('short'),
        no: fc.option(tie('short'), { nil: undefined }),
      }),
      fc.record({
        kind: fc.constant('switch' as const),
        cases: fc.oneof(
          ...[1, 3].map((length) => fc.array(tie('oneCase'), { minLength: length, maxLength: length })),
        ),
      }),
      fc.record({
        kind: fc.constant('for-literal' as const),
        items: fc.nat({ max: 3 }),
        body: tie('short'),
      }),
      fc.record({ kind: fc.constant('for-list' as const), body: tie('short') }),
      fc.record({ kind: fc.constant('do-while' as const), body: tie('short') }),
      fc.record({
        kind: fc.constant('try' as const),
        body: guarded,
        handler: fc.array(fc.record({ kind: fc.constant('hook' as const), hook: hookUse }), {
          minLength: 1,
          maxLength: 2,
        }),
        closes: fc.constantFrom('catch', 'finally'),
      }),
    ) as fc.Arbitrary<Statement>,
  }));
  return body;
}

export const agentSource: fc.Arbitrary<AgentSource> = fc.record({
  agent: bodyOf(['useHere', 'useThere']),
  here: bodyOf(['useThere']),
  there: bodyOf([]),
});
