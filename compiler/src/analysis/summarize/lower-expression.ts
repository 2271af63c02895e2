import type ts from 'typescript';
import type { Block, BranchForm, Call, Entry, Item, Value } from '../program.ts';
import { type Builder, collect, lookup, rangeOf, readName } from './builder.ts';
import { perTypeScript } from './per-typescript.ts';
import { markAssigned } from './scope.ts';

/** Emit what evaluating the expression does, in order, and return what it evaluates to. */
export function lowerExpression(b: Builder, node: ts.Expression): Value {
  if (node.flags & b.api.NodeFlags.OptionalChain && !b.chain) return lowerChain(b, node);
  const lower = formsOf(b.api).get(node.kind);
  if (lower) return lower(b, node);
  lowerChildren(b, node);
  const { start, end } = rangeOf(b, node);
  return { k: 'other', start, end };
}

/** Written as a method, so that a form may ask for the node that its kind stands for. */
type LowerForm = { lower(b: Builder, node: ts.Expression): Value }['lower'];

/** By kind: half a million nodes are looked at, and asking each for one kind after the other costs more than the rest. */
const formsOf = perTypeScript(
  ({ SyntaxKind: Kind }) =>
    new Map<ts.SyntaxKind, LowerForm>([
      [Kind.ParenthesizedExpression, lowerWrapped],
      [Kind.AsExpression, lowerWrapped],
      [Kind.SatisfiesExpression, lowerWrapped],
      [Kind.NonNullExpression, lowerWrapped],
      [Kind.TypeAssertionExpression, lowerWrapped],
      [Kind.Identifier, lowerIdentifier],
      [Kind.StringLiteral, lowerString],
      [Kind.NoSubstitutionTemplateLiteral, lowerPlainTemplate],
      [Kind.NumericLiteral, lowerNumber],
      [Kind.BigIntLiteral, (b, node) => ({ k: 'bigint', ...rangeOf(b, node) })],
      [Kind.RegularExpressionLiteral, (b, node) => ({ k: 'regexp', ...rangeOf(b, node) })],
      [Kind.TrueKeyword, (b, node) => ({ k: 'literal', value: true, ...rangeOf(b, node) })],
      [Kind.FalseKeyword, (b, node) => ({ k: 'literal', value: false, ...rangeOf(b, node) })],
      [Kind.NullKeyword, (b, node) => ({ k: 'literal', value: null, ...rangeOf(b, node) })],
      [Kind.MetaProperty, (b, node) => ({ k: 'import-meta', ...rangeOf(b, node) })],
      [Kind.PropertyAccessExpression, lowerMember],
      [Kind.ElementAccessExpression, lowerIndex],
      [Kind.CallExpression, lowerCall],
      [Kind.NewExpression, lowerCall],
      [Kind.TaggedTemplateExpression, lowerTagged],
      [Kind.ArrowFunction, lowerFunctionValue],
      [Kind.FunctionExpression, lowerFunctionValue],
      [Kind.ClassExpression, lowerClassValue],
      [Kind.ObjectLiteralExpression, lowerObject],
      [Kind.ArrayLiteralExpression, lowerArray],
      [Kind.TemplateExpression, lowerTemplate],
      [Kind.ConditionalExpression, lowerConditional],
      [Kind.BinaryExpression, lowerBinary],
      [Kind.AwaitExpression, lowerAwait],
      [Kind.PrefixUnaryExpression, lowerUnary],
      [Kind.PostfixUnaryExpression, lowerUnary],
      [Kind.VoidExpression, lowerVoid],
      [Kind.DeleteExpression, lowerQuestion],
      [Kind.TypeOfExpression, lowerQuestion],
      [Kind.JsxElement, lowerJsx],
      [Kind.JsxSelfClosingElement, lowerJsx],
      [Kind.JsxFragment, lowerJsx],
    ]),
);

function lowerWrapped(b: Builder, node: ts.Expression & { readonly expression: ts.Expression }): Value {
  const value = outsideChain(b, node.expression);
  return value.k === 'literal' ? { ...value, wrapped: true } : value;
}

function lowerString(b: Builder, node: ts.StringLiteral): Value {
  const { start, end } = rangeOf(b, node);
  return { k: 'literal', value: node.text, start, end };
}

function lowerPlainTemplate(b: Builder, node: ts.NoSubstitutionTemplateLiteral): Value {
  const { start, end } = rangeOf(b, node);
  return { k: 'literal', value: node.text, form: 'template', start, end };
}

function lowerNumber(b: Builder, node: ts.NumericLiteral): Value {
  const { start, end } = rangeOf(b, node);
  return { k: 'literal', value: Number(node.text), start, end };
}

function lowerFunctionValue(b: Builder, node: ts.ArrowFunction | ts.FunctionExpression): Value {
  const { start, end } = rangeOf(b, node);
  return { k: 'function', fn: b.enter.fn(b, node, undefined), start, end };
}

function lowerClassValue(b: Builder, node: ts.ClassExpression): Value {
  b.enter.cls(b, node);
  const { start, end } = rangeOf(b, node);
  return { k: 'class', start, end };
}

function lowerObject(b: Builder, node: ts.ObjectLiteralExpression): Value {
  const { start, end } = rangeOf(b, node);
  return { k: 'object', entries: lowerEntries(b, node), start, end };
}

function lowerArray(b: Builder, node: ts.ArrayLiteralExpression): Value {
  const { start, end } = rangeOf(b, node);
  return { k: 'array', items: lowerItems(b, node.elements), start, end };
}

function lowerTemplate(b: Builder, node: ts.TemplateExpression): Value {
  const parts: (string | Value)[] = [node.head.text];
  for (const piece of node.templateSpans) parts.push(outsideChain(b, piece.expression), piece.literal.text);
  const { start, end } = rangeOf(b, node);
  return { k: 'template', parts, start, end };
}

function lowerAwait(b: Builder, node: ts.AwaitExpression): Value {
  noteUse(b, node.expression, 'awaited');
  const operand = outsideChain(b, node.expression);
  const range = rangeOf(b, node);
  b.out.push({ op: 'await', range });
  return { k: 'await', operand, ...range };
}

function lowerVoid(b: Builder, node: ts.VoidExpression): Value {
  noteUse(b, node.expression, 'discarded');
  outsideChain(b, node.expression);
  const { start, end } = rangeOf(b, node);
  return { k: 'undefined', start, end };
}

function lowerQuestion(b: Builder, node: ts.DeleteExpression | ts.TypeOfExpression): Value {
  const operand = outsideChain(b, node.expression);
  return {
    k: 'unary',
    op: b.api.isTypeOfExpression(node) ? 'typeof' : 'delete',
    operand,
    ...rangeOf(b, node),
  };
}

function lowerJsx(b: Builder, node: ts.Expression): Value {
  lowerChildren(b, node);
  const { start, end } = rangeOf(b, node);
  return { k: 'jsx', start, end };
}

export function isTypeWrapper(
  b: Builder,
  node: ts.Node,
): node is ts.AsExpression | ts.SatisfiesExpression | ts.NonNullExpression | ts.TypeAssertion {
  const { api } = b;
  return (
    api.isAsExpression(node) ||
    api.isSatisfiesExpression(node) ||
    api.isNonNullExpression(node) ||
    api.isTypeAssertionExpression(node)
  );
}

/** A part of an optional chain's operands is an expression of its own. */
function outsideChain(b: Builder, node: ts.Expression): Value {
  const outer = b.chain;
  b.chain = undefined;
  const value = lowerExpression(b, node);
  b.chain = outer;
  return value;
}

/** `a?.b(c)`: all that follows a `?.` runs only when what stands before it is there. */
function lowerChain(b: Builder, node: ts.Expression): Value {
  b.chain = [];
  const value = lowerExpression(b, node);
  for (const { at, test } of b.chain.reverse()) {
    const then = b.out.splice(at);
    if (then.length > 0)
      b.out.push({ op: 'branch', form: '?.', test, yes: then, no: [], range: rangeOf(b, node) });
  }
  b.chain = undefined;
  return value;
}

function cutChain(
  b: Builder,
  node: ts.Expression & { questionDotToken?: ts.QuestionDotToken },
  object: Value,
): void {
  if (node.questionDotToken && b.chain) {
    const { start, end } = object;
    b.chain.push({ at: b.out.length, test: { k: 'unary', op: 'present', operand: object, start, end } });
  }
}

function lowerIdentifier(b: Builder, node: ts.Identifier): Value {
  const { start, end } = rangeOf(b, node);
  const binding = readName(b, node);
  if (binding) return { k: 'ref', binding: binding.id, start, end };
  return node.text === 'undefined'
    ? { k: 'undefined', start, end }
    : { k: 'global', name: node.text, start, end };
}

/** A place that may throw, as far as anybody in a `try` has to know. */
function noteAccess(b: Builder, object: Value): void {
  if (b.tryDepth > 0) b.out.push({ op: 'access', object });
}

function lowerMember(b: Builder, node: ts.PropertyAccessExpression): Value {
  const object = lowerExpression(b, node.expression);
  cutChain(b, node, object);
  noteAccess(b, object);
  const optional = node.questionDotToken ? { optional: true as const } : {};
  const { start, end } = rangeOf(b, node);
  b.members.push({
    object,
    name: node.name.text,
    optional: b.chain !== undefined && b.chain.length > 0,
    owner: b.fn,
    start,
    end,
  });
  return { k: 'member', object, name: node.name.text, ...optional, start, end };
}

function lowerIndex(b: Builder, node: ts.ElementAccessExpression): Value {
  const object = lowerExpression(b, node.expression);
  cutChain(b, node, object);
  const index = outsideChain(b, node.argumentExpression);
  noteAccess(b, object);
  const { start, end } = rangeOf(b, node);
  const optional = node.questionDotToken ? { optional: true as const } : {};
  if (index.k === 'literal' && index.value !== null) {
    return { k: 'member', object, name: String(index.value), computed: true, ...optional, start, end };
  }
  return { k: 'index', object, index, start, end };
}

function lowerCall(b: Builder, node: ts.CallExpression | ts.NewExpression): Value {
  const { api } = b;
  if (node.expression.kind === api.SyntaxKind.ImportKeyword)
    return lowerDynamicImport(b, node as ts.CallExpression);
  const callee = api.isCallExpression(node)
    ? lowerExpression(b, node.expression)
    : outsideChain(b, node.expression);
  if (api.isCallExpression(node)) cutChain(b, node, callee);
  return emitCall(b, node, callee, lowerItems(b, node.arguments ?? []), api.isNewExpression(node));
}

function emitCall(
  b: Builder,
  node: ts.Expression,
  callee: Value,
  args: readonly Item[],
  isNew: boolean,
): Value {
  const { start, end } = rangeOf(b, node);
  const call: Call = {
    id: b.calls.length,
    owner: b.fn,
    callee,
    args,
    isNew,
    use: useOf(b, node),
    start,
    end,
  };
  b.calls.push(call);
  b.out.push({ op: 'call', call: call.id });
  return { k: 'call', call: call.id, start, end };
}

function lowerTagged(b: Builder, node: ts.TaggedTemplateExpression): Value {
  const tag = outsideChain(b, node.tag);
  if (b.api.isTemplateExpression(node.template)) {
    for (const piece of node.template.templateSpans) outsideChain(b, piece.expression);
  }
  return emitCall(b, node, tag, [], false);
}

function lowerDynamicImport(b: Builder, node: ts.CallExpression): Value {
  const [specifier] = node.arguments;
  if (specifier && b.api.isStringLiteralLike(specifier)) {
    b.imports.push({
      specifier: specifier.text,
      specifierRange: rangeOf(b, specifier),
      form: 'dynamic',
      typeOnly: false,
      bare: false,
      ...rangeOf(b, node),
    });
  } else if (specifier) outsideChain(b, specifier);
  const { start, end } = rangeOf(b, node);
  return { k: 'other', start, end };
}

/** Say what becomes of a call's result, before it is lowered. */
export function noteUse(b: Builder, node: ts.Expression, use: Call['use']): void {
  let inner = node;
  while (b.api.isParenthesizedExpression(inner) || isTypeWrapper(b, inner)) inner = inner.expression;
  b.uses.set(inner, use);
}

function useOf(b: Builder, node: ts.Node): Call['use'] {
  return b.uses.get(node) ?? 'value';
}

function lowerItems(b: Builder, nodes: readonly ts.Expression[]): Item[] {
  return nodes.map((node) =>
    b.api.isSpreadElement(node)
      ? { value: outsideChain(b, node.expression), spread: true }
      : { value: outsideChain(b, node) },
  );
}

function lowerEntries(b: Builder, node: ts.ObjectLiteralExpression): Entry[] {
  const { api } = b;
  return node.properties.map((property): Entry => {
    if (api.isSpreadAssignment(property)) return { spread: outsideChain(b, property.expression) };
    const keyRange = rangeOf(b, property.name);
    const key = propertyKey(b, property.name);
    if (api.isPropertyAssignment(property)) {
      const { initializer } = property;
      const value =
        key !== null && (api.isArrowFunction(initializer) || api.isFunctionExpression(initializer))
          ? ({ k: 'function', fn: b.enter.fn(b, initializer, key), ...rangeOf(b, initializer) } as const)
          : outsideChain(b, initializer);
      return { key, keyRange, value };
    }
    if (api.isShorthandPropertyAssignment(property))
      return { key, keyRange, value: lowerIdentifier(b, property.name) };
    const fn = b.enter.fn(b, property, key ?? undefined);
    const range = rangeOf(b, property);
    return {
      key,
      keyRange,
      value: api.isMethodDeclaration(property) ? { k: 'function', fn, ...range } : { k: 'other', ...range },
    };
  });
}

/** The name of a property where it is written down; null when it is computed. */
function propertyKey(b: Builder, name: ts.PropertyName): string | null {
  const { api } = b;
  if (
    api.isIdentifier(name) ||
    api.isStringLiteralLike(name) ||
    api.isNumericLiteral(name) ||
    api.isPrivateIdentifier(name)
  ) {
    return name.text;
  }
  if (api.isComputedPropertyName(name)) {
    const value = outsideChain(b, name.expression);
    if (value.k === 'literal' && typeof value.value === 'string') return value.value;
  }
  return null;
}

function lowerConditional(b: Builder, node: ts.ConditionalExpression): Value {
  const test = outsideChain(b, node.condition);
  let whenTrue!: Value;
  let whenFalse!: Value;
  const then = collect(b, () => {
    whenTrue = outsideChain(b, node.whenTrue);
  });
  const otherwise = collect(b, () => {
    whenFalse = outsideChain(b, node.whenFalse);
  });
  branch(b, '?:', test, then, otherwise, node);
  const { start, end } = rangeOf(b, node);
  return { k: 'conditional', test, yes: whenTrue, no: whenFalse, start, end };
}

function branch(
  b: Builder,
  form: BranchForm,
  test: Value,
  then: Block,
  otherwise: Block,
  node: ts.Node,
): void {
  if (then.length + otherwise.length === 0) return;
  b.out.push({ op: 'branch', form, test, yes: then, no: otherwise, range: rangeOf(b, node) });
}

function lowerBinary(b: Builder, node: ts.BinaryExpression): Value {
  const { SyntaxKind } = b.api;
  const operator = node.operatorToken.kind;
  if (operator >= SyntaxKind.FirstAssignment && operator <= SyntaxKind.LastAssignment)
    return lowerAssignment(b, node);
  const left = outsideChain(b, node.left);
  const { start, end } = rangeOf(b, node);
  if (operator === SyntaxKind.CommaToken) return outsideChain(b, node.right);
  const op = b.api.tokenToString(operator) ?? '';
  if (op === '&&' || op === '||' || op === '??') {
    let right!: Value;
    const block = collect(b, () => {
      right = outsideChain(b, node.right);
    });
    if (op === '??')
      branch(
        b,
        '??',
        { k: 'unary', op: 'present', operand: left, start: left.start, end: left.end },
        [],
        block,
        node,
      );
    else branch(b, op, left, op === '&&' ? block : [], op === '&&' ? [] : block, node);
    return { k: 'logical', op, left, right, start, end };
  }
  return { k: 'binary', op, left, right: outsideChain(b, node.right), start, end };
}

function lowerAssignment(b: Builder, node: ts.BinaryExpression): Value {
  const { api } = b;
  const operator = api.tokenToString(node.operatorToken.kind) ?? '=';
  let target = node.left;
  while (api.isParenthesizedExpression(target) || isTypeWrapper(b, target)) target = target.expression;
  const isMember = api.isPropertyAccessExpression(target) || api.isElementAccessExpression(target);
  const lowered = isMember ? outsideChain(b, target) : undefined;
  if (!isMember) markAssigned(b, target);
  const named = api.isIdentifier(target) ? target.text : undefined;
  const isFunction = api.isArrowFunction(node.right) || api.isFunctionExpression(node.right);
  let value!: Value;
  const right = () => {
    value =
      isFunction && named
        ? {
            k: 'function',
            fn: b.enter.fn(b, node.right as ts.ArrowFunction, named),
            ...rangeOf(b, node.right),
          }
        : outsideChain(b, node.right);
  };
  if (operator.length > 2 && /^(?:&&|\|\||\?\?)=$/.test(operator)) {
    const block = collect(b, right);
    const test: Value = { k: 'other', ...rangeOf(b, node.left) };
    branch(b, 'assign', test, block, [], node);
  } else right();
  if (lowered) {
    b.assignments.push({
      target: lowered,
      value,
      operator,
      owner: b.fn,
      topLevel: node === b.topLevel,
      statement: b.statement,
      ...rangeOf(b, node),
    });
  }
  return operator === '=' ? value : { k: 'other', ...rangeOf(b, node) };
}

function lowerUnary(b: Builder, node: ts.PrefixUnaryExpression | ts.PostfixUnaryExpression): Value {
  const { SyntaxKind } = b.api;
  const operand = outsideChain(b, node.operand);
  const { start, end } = rangeOf(b, node);
  if (node.operator === SyntaxKind.PlusPlusToken || node.operator === SyntaxKind.MinusMinusToken) {
    markAssigned(b, node.operand);
    return { k: 'other', start, end };
  }
  const op = b.api.tokenToString(node.operator) ?? '';
  if (op === '-' && operand.k === 'literal' && typeof operand.value === 'number') {
    return { k: 'literal', value: -operand.value, start, end };
  }
  if (op === '-' && operand.k === 'bigint') return { k: 'bigint', start, end };
  return { k: 'unary', op, operand, start, end };
}

/** Whatever else an expression consists of: its parts run, its value is unknown. */
function lowerChildren(b: Builder, node: ts.Node): void {
  b.api.forEachChild(node, (child) => {
    if (b.api.isTypeNode(child) || !isExpressionNode(b, child)) {
      if (!b.api.isTypeNode(child)) lowerChildren(b, child);
      return;
    }
    outsideChain(b, child);
  });
}

function isExpressionNode(b: Builder, node: ts.Node): node is ts.Expression {
  // Names inside JSX (tags, attributes) are children too; only expression containers hold code.
  const { api } = b;
  return (
    !api.isJsxAttributes(node) &&
    !api.isJsxAttribute(node) &&
    !api.isJsxOpeningElement(node) &&
    !api.isJsxClosingElement(node) &&
    !api.isJsxText(node) &&
    !(api.isIdentifier(node) && !lookup(b, node.text)) &&
    api.isExpression(node)
  );
}
