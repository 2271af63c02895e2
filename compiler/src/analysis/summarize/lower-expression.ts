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
  return { k: 'other', ...rangeOf(b, node) };
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
  return { k: 'literal', value: node.text, ...rangeOf(b, node) };
}

function lowerPlainTemplate(b: Builder, node: ts.NoSubstitutionTemplateLiteral): Value {
  return { k: 'literal', value: node.text, form: 'template', ...rangeOf(b, node) };
}

function lowerNumber(b: Builder, node: ts.NumericLiteral): Value {
  return { k: 'literal', value: Number(node.text), ...rangeOf(b, node) };
}

function lowerFunctionValue(b: Builder, node: ts.ArrowFunction | ts.FunctionExpression): Value {
  return { k: 'function', fn: b.enter.fn(b, node, undefined), ...rangeOf(b, node) };
}

function lowerClassValue(b: Builder, node: ts.ClassExpression): Value {
  b.enter.cls(b, node);
  return { k: 'class', ...rangeOf(b, node) };
}

function lowerObject(b: Builder, node: ts.ObjectLiteralExpression): Value {
  return { k: 'object', entries: lowerEntries(b, node), ...rangeOf(b, node) };
}

function lowerArray(b: Builder, node: ts.ArrayLiteralExpression): Value {
  return { k: 'array', items: lowerItems(b, node.elements), ...rangeOf(b, node) };
}

function lowerTemplate(b: Builder, node: ts.TemplateExpression): Value {
  const parts: (string | Value)[] = [node.head.text];
  for (const piece of node.templateSpans) parts.push(outsideChain(b, piece.expression), piece.literal.text);
  return { k: 'template', parts, ...rangeOf(b, node) };
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
  return { k: 'undefined', ...rangeOf(b, node) };
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
  return { k: 'jsx', ...rangeOf(b, node) };
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
  const range = rangeOf(b, node);
  const binding = readName(b, node);
  if (binding) return { k: 'ref', binding: binding.id, ...range };
  return node.text === 'undefined'
    ? { k: 'undefined', ...range }
    : { k: 'global', name: node.text, ...range };
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
  const range = rangeOf(b, node);
  b.members.push({
    object,
    name: node.name.text,
    optional: b.chain !== undefined && b.chain.length > 0,
    owner: b.fn,
    ...range,
  });
  return { k: 'member', object, name: node.name.text, ...optional, ...range };
}

function lowerIndex(b: Builder, node: ts.ElementAccessExpression): Value {
  const object = lowerExpression(b, node.expression);
  cutChain(b, node, object);
  const index = outsideChain(b, node.argumentExpression);
  noteAccess(b, object);
  const range = rangeOf(b, node);
  const optional = node.questionDotToken ? { optional: true as const } : {};
  if (index.k === 'literal' && index.value !== null) {
    return { k: 'member', object, name: String(index.value), computed: true, ...optional, ...range };
  }
  return { k: 'index', object, index, ...range };
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
  const range = rangeOf(b, node);
  const call: Call = { id: b.calls.length, owner: b.fn, callee, args, isNew, use: useOf(b, node), ...range };
  b.calls.push(call);
  b.out.push({ op: 'call', call: call.id });
  return { k: 'call', call: call.id, ...range };
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
  return { k: 'other', ...rangeOf(b, node) };
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
  return { k: 'conditional', test, yes: whenTrue, no: whenFalse, ...rangeOf(b, node) };
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
  const range = rangeOf(b, node);
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
    return { k: 'logical', op, left, right, ...range };
  }
  return { k: 'binary', op, left, right: outsideChain(b, node.right), ...range };
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
  const range = rangeOf(b, node);
  if (node.operator === SyntaxKind.PlusPlusToken || node.operator === SyntaxKind.MinusMinusToken) {
    markAssigned(b, node.operand);
    return { k: 'other', ...range };
  }
  const op = b.api.tokenToString(node.operator) ?? '';
  if (op === '-' && operand.k === 'literal' && typeof operand.value === 'number') {
    return { k: 'literal', value: -operand.value, ...range };
  }
  if (op === '-' && operand.k === 'bigint') return { k: 'bigint', ...range };
  return { k: 'unary', op, operand, ...range };
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
