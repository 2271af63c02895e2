import type ts from 'typescript';
import type { Fn, FunctionId, Param, PathStep, Value } from '../program.ts';
import { type Builder, collect, declare, inScope, rangeOf } from './builder.ts';
import { lowerExpression } from './lower-expression.ts';
import { declareNames, hoistVars, predeclare } from './scope.ts';
import { writtenType } from './written-type.ts';

/** Lower a function of any form into a body of its own. `name` is what its surroundings call it. */
export function lowerFunction(
  b: Builder,
  node: ts.FunctionLikeDeclaration,
  name: string | undefined,
  isOverloaded = false,
): FunctionId {
  const { api } = b;
  const id = b.functions.length;
  const ownName = node.name && api.isIdentifier(node.name) ? node.name.text : undefined;
  const placeholder = { id } as Fn;
  b.functions.push(placeholder);
  const outer = { fn: b.fn, tryDepth: b.tryDepth, chain: b.chain };
  b.tryDepth = 0;
  b.chain = undefined;
  let params: readonly Param[] = [];
  const body = inScope(b, () => {
    b.fn = id;
    return collect(b, () =>
      inScope(b, () => {
        if (api.isFunctionExpression(node) && node.name) declare(b, node.name, 'function').fn = id;
        params = node.parameters.map((parameter, index) => lowerParameter(b, parameter, index));
        lowerBody(b, node);
      }),
    );
  });
  b.fn = outer.fn;
  b.tryDepth = outer.tryDepth;
  b.chain = outer.chain;
  const modifiers = api.canHaveModifiers(node) ? (api.getModifiers(node) ?? []) : [];
  // Callers of an overloaded function see what the overloads say.
  const returns = isOverloaded ? undefined : writtenType(b, node.type);
  b.functions[id] = {
    id,
    name: ownName ?? name,
    nameRange: node.name ? rangeOf(b, node.name) : rangeOf(b, node),
    form: formOf(b, node),
    anonymous: ownName === undefined,
    async: modifiers.some((modifier) => modifier.kind === api.SyntaxKind.AsyncKeyword),
    generator: 'asteriskToken' in node && node.asteriskToken !== undefined,
    parent: outer.fn,
    params,
    ...(returns && { returns }),
    body,
    bodyRange: node.body ? rangeOf(b, node.body) : rangeOf(b, node),
    ...rangeOf(b, node),
  };
  return id;
}

function formOf(b: Builder, node: ts.FunctionLikeDeclaration): Fn['form'] {
  const { api } = b;
  if (api.isFunctionDeclaration(node)) return 'declaration';
  if (api.isArrowFunction(node)) return 'arrow';
  if (api.isMethodDeclaration(node)) return 'method';
  if (api.isConstructorDeclaration(node)) return 'constructor';
  return api.isFunctionExpression(node) ? 'expression' : 'accessor';
}

function lowerBody(b: Builder, node: ts.FunctionLikeDeclaration): void {
  const { body } = node;
  if (!body) return;
  if (b.api.isBlock(body)) {
    hoistVars(b, body);
    predeclare(b, body.statements);
    b.enter.statements(b, body.statements, 'function');
  } else {
    const value = lowerExpression(b, body);
    b.out.push({ op: 'return', value, range: rangeOf(b, body) });
  }
}

function lowerParameter(b: Builder, node: ts.ParameterDeclaration, index: number): Param {
  const bindings = declareNames(b, node.name, 'param');
  for (const binding of bindings) binding.param = index;
  if (node.initializer) lowerDefault(b, node.initializer);
  if (!b.api.isIdentifier(node.name)) bindPattern(b, node.name, undefined, []);
  else if (!node.dotDotDotToken) noteParameterType(b, node.name, node);
  return {
    range: rangeOf(b, node),
    rest: node.dotDotDotToken !== undefined,
    hasDefault: node.initializer !== undefined,
    destructured: !b.api.isIdentifier(node.name),
    bindings: bindings.map((binding) => binding.id),
  };
}

/** Keep the type that is written beside a name. */
export function noteType(b: Builder, name: ts.Identifier, node: ts.TypeNode | undefined): void {
  const type = writtenType(b, node);
  const binding = type && findDeclared(b, name);
  if (binding) binding.type = type;
}

/** An optional one may be `undefined`, which JSON leaves out and which is no text. */
function noteParameterType(
  b: Builder,
  name: ts.Identifier,
  { type, questionToken }: ts.ParameterDeclaration,
): void {
  noteType(b, name, type);
  const binding = questionToken && findDeclared(b, name);
  if (binding?.type) binding.type = 'json';
}

/** A default value runs only when nothing was given. */
function lowerDefault(b: Builder, node: ts.Expression): Value {
  let value!: Value;
  const then = collect(b, () => {
    value = lowerExpression(b, node);
  });
  const range = rangeOf(b, node);
  if (then.length > 0)
    b.out.push({ op: 'branch', form: 'default', test: { k: 'other', ...range }, yes: then, no: [], range });
  return value;
}

/** Tell each name of a pattern which part of the value it holds. */
export function bindPattern(
  b: Builder,
  name: ts.BindingName,
  init: Value | undefined,
  path: readonly PathStep[],
): void {
  const { api } = b;
  if (api.isIdentifier(name)) {
    const binding = b.bindings[b.scope.names.get(name.text) ?? -1] ?? findDeclared(b, name);
    if (!binding) return;
    if (path.length > 0) binding.path = path;
    if (init) binding.init = init;
    return;
  }
  for (const [index, element] of name.elements.entries()) {
    if (!api.isBindingElement(element)) continue;
    let step: PathStep = String(index);
    if (element.dotDotDotToken) step = { rest: true };
    else if (api.isObjectBindingPattern(name)) step = elementKey(b, element);
    const fallback = element.initializer ? lowerDefault(b, element.initializer) : undefined;
    bindPattern(b, element.name, init, [...path, step]);
    if (fallback && api.isIdentifier(element.name)) {
      const binding = findDeclared(b, element.name);
      if (binding) binding.fallback = fallback;
    }
  }
}

function findDeclared(b: Builder, name: ts.Identifier) {
  for (let scope: typeof b.scope | undefined = b.scope; scope; scope = scope.parent) {
    const id = scope.names.get(name.text);
    if (id !== undefined) return b.bindings[id];
  }
  return undefined;
}

function elementKey(b: Builder, element: ts.BindingElement): PathStep {
  const { api } = b;
  const key = element.propertyName ?? element.name;
  if (api.isIdentifier(key) || api.isStringLiteralLike(key) || api.isNumericLiteral(key)) return key.text;
  if (api.isComputedPropertyName(key)) lowerExpression(b, key.expression);
  return { rest: true };
}

/**
 * A class: static blocks and static fields run where it stands, the rest when somebody uses it. Returns the names of its
 * static members.
 */
export function lowerClass(
  b: Builder,
  node: ts.ClassLikeDeclaration,
): { name: string; start: number; end: number }[] {
  const { api } = b;
  const statics: { name: string; start: number; end: number }[] = [];
  for (const clause of node.heritageClauses ?? []) {
    if (clause.token === api.SyntaxKind.ExtendsKeyword)
      for (const type of clause.types) lowerExpression(b, type.expression);
  }
  inScope(b, () => {
    if (api.isClassExpression(node) && node.name) declare(b, node.name, 'class');
    for (const member of node.members) {
      const isStatic =
        api.canHaveModifiers(member) &&
        (api.getModifiers(member) ?? []).some((m) => m.kind === api.SyntaxKind.StaticKeyword);
      if (isStatic && member.name && api.isIdentifier(member.name))
        statics.push({ name: member.name.text, ...rangeOf(b, member) });
      if (api.isClassStaticBlockDeclaration(member)) {
        inScope(b, () => {
          predeclare(b, member.body.statements);
          b.enter.statements(b, member.body.statements);
        });
      } else if (api.isPropertyDeclaration(member)) {
        if (member.initializer && isStatic) lowerExpression(b, member.initializer);
        else if (member.initializer) lowerField(b, member, member.initializer);
      } else if (
        api.isMethodDeclaration(member) ||
        api.isConstructorDeclaration(member) ||
        api.isAccessor(member)
      ) {
        if (member.body)
          lowerFunction(
            b,
            member,
            member.name && api.isIdentifier(member.name) ? member.name.text : undefined,
          );
      }
    }
  });
  return statics;
}

/** An instance field runs in the constructor: a body of its own, in no known context. */
function lowerField(b: Builder, member: ts.PropertyDeclaration, initializer: ts.Expression): void {
  const id = b.functions.length;
  b.functions.push({ id } as Fn);
  const outer = b.fn;
  b.fn = id;
  const body = collect(b, () => inScope(b, () => lowerExpression(b, initializer)));
  b.fn = outer;
  b.functions[id] = {
    id,
    name: undefined,
    nameRange: rangeOf(b, member.name),
    form: 'field',
    anonymous: true,
    async: false,
    generator: false,
    parent: outer,
    params: [],
    body,
    bodyRange: rangeOf(b, initializer),
    ...rangeOf(b, member),
  };
}
