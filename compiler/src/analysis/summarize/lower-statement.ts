import type ts from 'typescript';
import type { BindingId, Value } from '../program.ts';
import { type Builder, collect, inScope, rangeOf } from './builder.ts';
import { lowerExpression } from './lower-expression.ts';
import { bindPattern, lowerClass, lowerFunction } from './lower-function.ts';
import { lowerExport, lowerImport, noteStringStatement } from './lower-module.ts';
import { declareNames, markAssigned, predeclare, variableKind } from './scope.ts';

export function lowerStatements(b: Builder, statements: readonly ts.Statement[]): void {
  const outer = b.statement;
  for (const statement of statements) {
    b.statement = rangeOf(b, statement);
    lowerStatement(b, statement);
  }
  b.statement = outer;
}

function lowerStatement(b: Builder, node: ts.Statement, label?: string): void {
  const { api } = b;
  if (api.isExpressionStatement(node)) {
    noteStringStatement(b, node);
    lowerExpression(b, node.expression);
  } else if (api.isVariableStatement(node)) lowerVariables(b, node.declarationList);
  else if (api.isReturnStatement(node)) {
    const value = node.expression ? lowerExpression(b, node.expression) : null;
    b.out.push({ op: 'return', value, range: rangeOf(b, node) });
  } else if (api.isIfStatement(node)) {
    const test = lowerExpression(b, node.expression);
    const then = collect(b, () => lowerStatement(b, node.thenStatement));
    const otherwise = collect(b, () => node.elseStatement && lowerStatement(b, node.elseStatement));
    b.out.push({ op: 'branch', form: 'if', test, yes: then, no: otherwise, range: rangeOf(b, node) });
  } else if (api.isBlock(node)) {
    inScope(b, () => {
      predeclare(b, node.statements);
      lowerStatements(b, node.statements);
    });
  } else if (api.isFunctionDeclaration(node)) lowerFunctionDeclaration(b, node);
  else if (api.isClassDeclaration(node)) {
    const statics = lowerClass(b, node);
    const binding = node.name && b.bindings[b.scope.names.get(node.name.text) ?? -1];
    if (binding) binding.statics = statics.map(({ name, start, end }) => ({ name, range: { start, end } }));
    if (b.scope.parent === undefined) lowerExport(b, node);
  } else if (api.isThrowStatement(node)) {
    lowerExpression(b, node.expression);
    b.out.push({ op: 'throw', range: rangeOf(b, node) });
  } else if (api.isBreakOrContinueStatement(node)) {
    const to = api.isBreakStatement(node) ? 'break' : 'continue';
    b.out.push({ op: 'jump', to, ...(node.label ? { label: node.label.text } : {}) });
  } else if (api.isIterationStatement(node, false)) inScope(b, () => lowerLoop(b, node, label));
  else if (api.isSwitchStatement(node)) lowerSwitch(b, node);
  else if (api.isTryStatement(node)) lowerTry(b, node);
  else if (api.isLabeledStatement(node)) {
    const body = collect(b, () => lowerStatement(b, node.statement, node.label.text));
    b.out.push({ op: 'labelled', label: node.label.text, body });
  } else if (api.isImportDeclaration(node) || api.isImportEqualsDeclaration(node)) lowerImport(b, node);
  else if (api.isExportDeclaration(node) || api.isExportAssignment(node)) lowerExport(b, node);
  else if (api.isModuleDeclaration(node) && node.body && api.isModuleBlock(node.body)) {
    const { statements } = node.body;
    inScope(b, () => {
      predeclare(b, statements);
      lowerStatements(b, statements);
    });
  }
}

function lowerFunctionDeclaration(b: Builder, node: ts.FunctionDeclaration): void {
  if (!node.body) return;
  const fn = lowerFunction(b, node, undefined);
  const binding = node.name && b.bindings[b.scope.names.get(node.name.text) ?? -1];
  if (binding) binding.fn = fn;
  if (b.scope.parent === undefined) lowerExport(b, node, fn);
}

function lowerVariables(b: Builder, list: ts.VariableDeclarationList): void {
  const { api } = b;
  for (const { name, initializer } of list.declarations) {
    if (!initializer) continue;
    let value: Value;
    if (
      api.isIdentifier(name) &&
      (api.isArrowFunction(initializer) || api.isFunctionExpression(initializer))
    ) {
      value = { k: 'function', fn: lowerFunction(b, initializer, name.text), ...rangeOf(b, initializer) };
    } else value = lowerExpression(b, initializer);
    bindPattern(b, name, value, []);
  }
  // Leaving the scope of an `await using` waits for the disposal.
  if ((list.flags & api.NodeFlags.AwaitUsing) === api.NodeFlags.AwaitUsing)
    b.out.push({ op: 'await', range: rangeOf(b, list) });
  if (api.isVariableStatement(list.parent) && b.scope.parent === undefined) lowerExport(b, list.parent);
}

function lowerLoop(b: Builder, node: ts.IterationStatement, label: string | undefined): void {
  const { api } = b;
  const range = rangeOf(b, node);
  const named = label === undefined ? {} : { label };
  if (api.isForOfStatement(node) || api.isForInStatement(node)) {
    const over = lowerExpression(b, node.expression);
    const element = bindElement(b, node.initializer, over);
    const isAwait = api.isForOfStatement(node) && node.awaitModifier !== undefined;
    const form = api.isForInStatement(node) ? 'for-in' : isAwait ? 'for-await' : 'for-of';
    const body = collect(b, () => {
      if (isAwait) b.out.push({ op: 'await', range: over });
      lowerStatement(b, node.statement);
    });
    b.out.push({ op: 'loop', form, over, element, testOps: [], body, step: [], range, ...named });
    return;
  }
  if (api.isForStatement(node) && node.initializer) {
    if (api.isVariableDeclarationList(node.initializer)) {
      const kind = variableKind(b, node.initializer);
      if (kind !== 'var') for (const { name } of node.initializer.declarations) declareNames(b, name, kind);
      lowerVariables(b, node.initializer);
    } else lowerExpression(b, node.initializer);
  }
  const condition = api.isForStatement(node)
    ? node.condition
    : (node as ts.WhileStatement | ts.DoStatement).expression;
  let test: Value | undefined;
  const testOps = collect(b, () => {
    if (condition) test = lowerExpression(b, condition);
  });
  const body = collect(b, () => lowerStatement(b, node.statement));
  const step = collect(
    b,
    () => api.isForStatement(node) && node.incrementor && lowerExpression(b, node.incrementor),
  );
  const form = api.isForStatement(node) ? 'for' : api.isDoStatement(node) ? 'do' : 'while';
  b.out.push({
    op: 'loop',
    form,
    element: [],
    testOps,
    body,
    step,
    range,
    ...(test ? { test } : {}),
    ...named,
  });
}

function bindElement(b: Builder, initializer: ts.ForInitializer, over: Value): BindingId[] {
  if (!b.api.isVariableDeclarationList(initializer)) {
    markAssigned(b, initializer);
    return [];
  }
  const name = initializer.declarations[0]?.name;
  if (!name) return [];
  const kind = variableKind(b, initializer);
  const bindings = kind === 'var' ? [] : declareNames(b, name, kind);
  for (const binding of bindings) binding.elementOf = over;
  bindPattern(b, name, undefined, []);
  return bindings.map((binding) => binding.id);
}

function lowerSwitch(b: Builder, node: ts.SwitchStatement): void {
  const { api } = b;
  const subject = lowerExpression(b, node.expression);
  inScope(b, () => {
    for (const clause of node.caseBlock.clauses) predeclare(b, clause.statements);
    const cases = node.caseBlock.clauses.map((clause) => {
      let test: Value | null = null;
      const testOps = collect(b, () => {
        if (api.isCaseClause(clause)) test = lowerExpression(b, clause.expression);
      });
      return { test, testOps, body: collect(b, () => lowerStatements(b, clause.statements)) };
    });
    b.out.push({ op: 'switch', subject, cases, range: rangeOf(b, node) });
  });
}

function lowerTry(b: Builder, node: ts.TryStatement): void {
  const { catchClause, finallyBlock } = node;
  b.tryDepth++;
  const body = collect(b, () => lowerStatement(b, node.tryBlock));
  b.tryDepth--;
  const handler =
    catchClause &&
    inScope(b, () => {
      if (catchClause.variableDeclaration) declareNames(b, catchClause.variableDeclaration.name, 'catch');
      return collect(b, () => lowerStatement(b, catchClause.block));
    });
  const finalizer = finallyBlock && collect(b, () => lowerStatement(b, finallyBlock));
  b.out.push({ op: 'try', body, handler: handler ?? null, finalizer: finalizer ?? null });
}
