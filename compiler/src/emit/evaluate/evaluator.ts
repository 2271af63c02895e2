import type ts from 'typescript';
import { createLiteralReader } from './literals.ts';
import { mutatedNames } from './mutated-names.ts';
import { attempt, NotStatic, raise } from './not-static.ts';
import { applyBinary, applyUnary } from './operators.ts';
import { createNameResolver, type Named, type TreeHost } from './resolve-name.ts';
import { runValibot, type ValibotFunction } from './run-valibot.ts';

/** Nodes that one evaluation may visit, and how deep (EVALS-03, `budget`). */
const BUDGET = 20_000;
const DEPTH = 200;

/** Libraries whose values are schemas, but not ours. */
const FOREIGN =
  /^(?:zod|arktype|yup|joi|effect|superstruct|runtypes|io-ts|typebox|@sinclair\/typebox)(?:\/|$)/;

type FunctionNode = ts.ArrowFunction | ts.FunctionExpression | ts.FunctionDeclaration;

interface Scope {
  readonly path: string;
  /** parameters of the project functions that are being applied */
  readonly frames: ReadonlyMap<ts.Node, ReadonlyMap<string, unknown>>;
}

/** A module's namespace object: its members are read from its exports one by one. */
class Namespace {
  readonly path: string;
  constructor(path: string) {
    this.path = path;
  }
}

/** A `define*()` of the runtime, whose result reads like its argument (RULE-28). */
const DEFINE = Symbol('define');

export interface Evaluator {
  /** The value of an expression, rebuilt without running the project's code; throws `NotStatic` (EVALS-01). */
  evaluate(node: ts.Expression, path: string): unknown;
}

/**
 * Rebuilds values from syntax. Only Valibot runs, on arguments that are static themselves; the project's own functions
 * are read when they consist of one returned expression (EVALS-04). `onCallback` hears of each call of a callback,
 * which stands inert in the rebuilt value: what it does leaves no trace in JSON Schema.
 */
export function createEvaluator(
  host: TreeHost,
  valibot: Readonly<Record<string, unknown>>,
  onCallback: () => void = () => {},
): Evaluator {
  const api = host.ts;
  const names = createNameResolver(host);
  const mutations = new WeakMap<ts.SourceFile, ReadonlySet<string>>();
  const constants = new WeakMap<ts.Node, { value: unknown } | { error: NotStatic } | 'running'>();
  const closures = new WeakMap<object, { node: FunctionNode; scope: Scope }>();
  const valibotFunctions = new Set(Object.values(valibot).filter((value) => typeof value === 'function'));
  const inert = () => onCallback();
  const literals = createLiteralReader<Scope>(api, {
    visit,
    identifier: (node, scope) => valueNamed(names.lookup(node, scope.path), scope),
    method: inert,
  });
  let spent = 0;
  let depth = 0;

  return {
    evaluate(node, path) {
      spent = 0;
      depth = 0;
      return visit(node, { path, frames: new Map() });
    },
  };

  function visit(node: ts.Expression, scope: Scope): unknown {
    if (++spent > BUDGET || depth > DEPTH) throw new NotStatic('budget');
    depth++;
    try {
      return expression(node, scope);
    } finally {
      depth--;
    }
  }

  function expression(node: ts.Expression, scope: Scope): unknown {
    if (api.isStringLiteralLike(node)) return node.text;
    if (api.isNumericLiteral(node)) return Number(node.text);
    if (api.isBigIntLiteral(node)) return BigInt(node.text.slice(0, -1));
    if (api.isRegularExpressionLiteral(node)) return literals.regularExpression(node.text);
    if (node.kind === api.SyntaxKind.TrueKeyword) return true;
    if (node.kind === api.SyntaxKind.FalseKeyword) return false;
    if (node.kind === api.SyntaxKind.NullKeyword) return null;
    if (api.isIdentifier(node)) return valueNamed(names.lookup(node, scope.path), scope);
    if (api.isTemplateExpression(node)) return literals.template(node, scope);
    if (api.isObjectLiteralExpression(node)) return literals.objectLiteral(node, scope);
    if (api.isArrayLiteralExpression(node)) return literals.list(node.elements, scope);
    if (api.isPropertyAccessExpression(node))
      return member(visit(node.expression, scope), node.name.text, scope);
    if (api.isElementAccessExpression(node)) {
      return member(
        visit(node.expression, scope),
        literals.computedKey(node.argumentExpression, scope),
        scope,
      );
    }
    if (api.isCallExpression(node)) return call(node, scope);
    if (api.isConditionalExpression(node)) {
      return visit(visit(node.condition, scope) ? node.whenTrue : node.whenFalse, scope);
    }
    if (api.isPrefixUnaryExpression(node)) return applyUnary(api, node.operator, visit(node.operand, scope));
    if (api.isBinaryExpression(node)) {
      const right = () => visit(node.right, scope);
      return applyBinary(api, node.operatorToken.kind, visit(node.left, scope), right);
    }
    if (api.isArrowFunction(node) || api.isFunctionExpression(node)) return closure(node, scope);
    const inner = withoutTypes(node);
    if (inner !== undefined) return visit(inner, scope);
    throw new NotStatic('not-literal');
  }

  /** `(x)`, `x as T`, `x satisfies T`, `x!`, `<T>x`: gone at run time. */
  function withoutTypes(node: ts.Expression): ts.Expression | undefined {
    const wraps =
      api.isParenthesizedExpression(node) ||
      api.isAsExpression(node) ||
      api.isSatisfiesExpression(node) ||
      api.isNonNullExpression(node) ||
      api.isTypeAssertionExpression(node) ||
      api.isExpressionWithTypeArguments(node);
    return wraps ? node.expression : undefined;
  }

  function member(object: unknown, key: string, scope: Scope): unknown {
    if (object instanceof Namespace) return valueNamed(names.exported(object.path, key), scope);
    if (typeof object !== 'object' || object === null) throw new NotStatic('opaque-call');
    if (Object.hasOwn(object, key)) return (object as Record<string, unknown>)[key];
    if (Array.isArray(object) || object === valibot) throw new NotStatic('opaque-call');
    return undefined;
  }

  function call(node: ts.CallExpression, scope: Scope): unknown {
    const [first] = node.arguments;
    if (isFreeze(node.expression) && first) return visit(first, scope);
    const callee = visit(node.expression, scope);
    const args = literals.list(node.arguments, scope);
    if (callee === DEFINE) return args[0];
    if (typeof callee !== 'function') throw new NotStatic('opaque-call');
    const project = closures.get(callee);
    if (project) return apply(project.node, args, project.scope);
    if (!valibotFunctions.has(callee)) throw new NotStatic('opaque-call');
    // The body of `lazy` is a schema; every other callback only ever sees data.
    const inertArgs = args.map((arg) => (typeof arg === 'function' ? inert : arg));
    return runValibot(callee as ValibotFunction, callee === valibot.lazy ? args : inertArgs);
  }

  function isFreeze(node: ts.Expression): boolean {
    if (!api.isPropertyAccessExpression(node) || node.name.text !== 'freeze') return false;
    return api.isIdentifier(node.expression) && node.expression.text === 'Object';
  }

  function closure(node: FunctionNode, scope: Scope): unknown {
    const fn = (...args: unknown[]) => apply(node, args, scope);
    closures.set(fn, { node, scope });
    return fn;
  }

  function apply(node: FunctionNode, args: readonly unknown[], scope: Scope): unknown {
    const result = returnedExpression(node);
    if (result === undefined) throw new NotStatic('opaque-call');
    const frame = new Map<string, unknown>();
    const inner = { path: scope.path, frames: new Map([...scope.frames, [node as ts.Node, frame]]) };
    node.parameters.forEach((parameter, index) => {
      if (!api.isIdentifier(parameter.name) || parameter.dotDotDotToken) throw new NotStatic('opaque-call');
      const useDefault = args[index] === undefined && parameter.initializer !== undefined;
      frame.set(parameter.name.text, useDefault ? visit(parameter.initializer, inner) : args[index]);
    });
    return visit(result, inner);
  }

  function returnedExpression(node: FunctionNode): ts.Expression | undefined {
    const isAsync = api.getModifiers(node)?.some(({ kind }) => kind === api.SyntaxKind.AsyncKeyword) ?? false;
    if (isAsync || node.asteriskToken !== undefined || node.body === undefined) return undefined;
    if (!api.isBlock(node.body)) return node.body;
    const [only, ...others] = node.body.statements;
    return only && others.length === 0 && api.isReturnStatement(only) ? only.expression : undefined;
  }

  function valueNamed(named: Named, scope: Scope): unknown {
    switch (named.kind) {
      case 'variable':
        return variable(named.node, named.element, named.name, { ...scope, path: named.path });
      case 'function':
        return closure(named.node, { ...scope, path: named.path });
      case 'enum':
        return enumeration(named.node, { ...scope, path: named.path });
      case 'expression':
        return constant(named.node, named.node, named.path);
      case 'namespace':
        return new Namespace(named.path);
      case 'valibot':
        if (named.name === '*') return valibot;
        return named.name in valibot ? valibot[named.name] : raise(new NotStatic('unresolved-import'));
      case 'flue':
        return /^define[A-Z]/.test(named.name) ? DEFINE : raise(new NotStatic('opaque-call'));
      case 'parameter':
        return parameter(named.fn, named.name, scope);
      case 'package':
        throw new NotStatic(FOREIGN.test(named.specifier) ? 'foreign-schema' : 'opaque-call');
      case 'class':
        throw new NotStatic('opaque-call');
      case 'loop':
        throw new NotStatic('mutable-binding');
      case 'asset':
        throw new NotStatic('not-literal');
      case 'unresolved':
        throw new NotStatic('unresolved-import');
      case 'global':
        if (named.name === 'undefined') return undefined;
        throw new NotStatic('not-literal');
    }
  }

  function parameter(fn: ts.Node, name: string, scope: Scope): unknown {
    const frame = scope.frames.get(fn);
    if (!frame?.has(name)) throw new NotStatic('parameter');
    return frame.get(name);
  }

  function variable(
    node: ts.VariableDeclaration,
    element: ts.BindingElement | undefined,
    name: string,
    scope: Scope,
  ): unknown {
    const isConst = (node.parent.flags & api.NodeFlags.Const) !== 0;
    if (!isConst || mutationsOf(node.getSourceFile()).has(name)) throw new NotStatic('mutable-binding');
    if (node.initializer === undefined) throw new NotStatic('not-literal');
    const isModuleLevel = api.isSourceFile(node.parent.parent.parent);
    const value = isModuleLevel
      ? constant(node, node.initializer, scope.path)
      : visit(node.initializer, scope);
    if (element === undefined) return value;
    const isPlain = element.parent.parent === node && api.isObjectBindingPattern(element.parent);
    if (!isPlain || element.dotDotDotToken || element.initializer) throw new NotStatic('not-literal');
    const key = element.propertyName ?? element.name;
    return member(
      value,
      api.isIdentifier(key) ? key.text : literals.propertyName(key as ts.PropertyName, scope),
      scope,
    );
  }

  /** A module's constant is one object wherever it is used. */
  function constant(key: ts.Node, initializer: ts.Expression, path: string): unknown {
    const known = constants.get(key);
    if (known === 'running') throw new NotStatic('recursive');
    if (known === undefined) {
      constants.set(key, 'running');
      const settled = attempt(() => visit(initializer, { path, frames: new Map() }));
      // What ran out of budget here may fit where less was spent before.
      if ('error' in settled && settled.error.reason === 'budget') constants.delete(key);
      else constants.set(key, settled);
      return 'error' in settled ? raise(settled.error) : settled.value;
    }
    return 'error' in known ? raise(known.error) : known.value;
  }

  function mutationsOf(file: ts.SourceFile): ReadonlySet<string> {
    let found = mutations.get(file);
    if (found === undefined) {
      found = mutatedNames(api, file);
      mutations.set(file, found);
    }
    return found;
  }

  function enumeration(node: ts.EnumDeclaration, scope: Scope): object {
    const members: Record<string, unknown> = {};
    let next: number | undefined = 0;
    for (const item of node.members) {
      const value: unknown = item.initializer ? visit(item.initializer, scope) : next;
      if (typeof value !== 'string' && typeof value !== 'number') throw new NotStatic('not-literal');
      const key = literals.propertyName(item.name, scope);
      members[key] = value;
      if (typeof value === 'number') members[String(value)] = key;
      next = typeof value === 'number' ? value + 1 : undefined;
    }
    return members;
  }
}
