import type ts from 'typescript';
import type { BindingId, Value } from '../program.ts';
import { type Builder, collect, inScope, rangeOf } from './builder.ts';
import { lowerExpression, noteUse } from './lower-expression.ts';
import { bindPattern, lowerClass, lowerFunction, noteType } from './lower-function.ts';
import { lowerExport, lowerImport, noteStringStatement } from './lower-module.ts';
import { perTypeScript } from './per-typescript.ts';
import { declareNames, markAssigned, predeclare, variableKind } from './scope.ts';

/** `of`: what they are the whole body of, where a directive may stand in it. */
export function lowerStatements(
  b: Builder,
  statements: readonly ts.Statement[],
  of?: 'module' | 'function',
): void {
  const outer = b.statement;
  for (const [index, statement] of statements.entries()) {
    b.statement = rangeOf(b, statement);
    if (of && b.api.isExpressionStatement(statement)) {
      if (of === 'module') b.topLevel = statement.expression;
      noteStringStatement(b, statement, of, index === 0);
    }
    lowerStatement(b, statement);
  }
  b.statement = outer;
}

function lowerStatement(b: Builder, node: ts.Statement): void {
  formsOf(b.api).get(node.kind)?.(b, node);
}

/** Written as a method, so that a form may ask for the node that its kind stands for. */
type LowerForm = { lower(b: Builder, node: ts.Statement): void }['lower'];

const formsOf = perTypeScript(
  ({ SyntaxKind: Kind }) =>
    new Map<ts.SyntaxKind, LowerForm>([
      [Kind.ExpressionStatement, lowerExpressionStatement],
      [Kind.VariableStatement, lowerVariableStatement],
      [Kind.ReturnStatement, lowerReturn],
      [Kind.IfStatement, lowerIf],
      [Kind.Block, lowerScope],
      [Kind.ModuleBlock, lowerScope],
      [Kind.FunctionDeclaration, lowerFunctionDeclaration],
      [Kind.ClassDeclaration, lowerClassDeclaration],
      [Kind.ThrowStatement, lowerThrow],
      [Kind.BreakStatement, (b, node: ts.BreakStatement) => lowerJump(b, node, 'break')],
      [Kind.ContinueStatement, (b, node: ts.ContinueStatement) => lowerJump(b, node, 'continue')],
      [Kind.ForStatement, lowerLoopStatement],
      [Kind.ForInStatement, lowerLoopStatement],
      [Kind.ForOfStatement, lowerLoopStatement],
      [Kind.WhileStatement, lowerLoopStatement],
      [Kind.DoStatement, lowerLoopStatement],
      [Kind.SwitchStatement, lowerSwitch],
      [Kind.TryStatement, lowerTry],
      [Kind.LabeledStatement, lowerLabelled],
      [Kind.ImportDeclaration, lowerImport],
      [Kind.ImportEqualsDeclaration, lowerImport],
      [Kind.ExportDeclaration, lowerExport],
      [Kind.ExportAssignment, lowerExport],
      [Kind.ModuleDeclaration, lowerNamespace],
    ]),
);

function lowerExpressionStatement(b: Builder, node: ts.ExpressionStatement): void {
  noteUse(b, node.expression, 'discarded');
  lowerExpression(b, node.expression);
}

function lowerVariableStatement(b: Builder, node: ts.VariableStatement): void {
  lowerVariables(b, node.declarationList);
  if (b.scope.parent === undefined) lowerExport(b, node);
}

function lowerReturn(b: Builder, node: ts.ReturnStatement): void {
  const value = node.expression ? lowerExpression(b, node.expression) : null;
  b.out.push({ op: 'return', value, range: rangeOf(b, node) });
}

function lowerIf(b: Builder, node: ts.IfStatement): void {
  const test = lowerExpression(b, node.expression);
  const then = collect(b, () => lowerStatement(b, node.thenStatement));
  const otherwise = collect(b, () => node.elseStatement && lowerStatement(b, node.elseStatement));
  b.out.push({ op: 'branch', form: 'if', test, yes: then, no: otherwise, range: rangeOf(b, node) });
}

function lowerScope(b: Builder, { statements }: ts.Block | ts.ModuleBlock): void {
  inScope(b, () => {
    predeclare(b, statements);
    lowerStatements(b, statements);
  });
}

function lowerNamespace(b: Builder, { body }: ts.ModuleDeclaration): void {
  if (body && b.api.isModuleBlock(body)) lowerScope(b, body);
}

function lowerThrow(b: Builder, node: ts.ThrowStatement): void {
  lowerExpression(b, node.expression);
  b.out.push({ op: 'throw', range: rangeOf(b, node) });
}

function lowerJump(b: Builder, { label }: ts.BreakOrContinueStatement, to: 'break' | 'continue'): void {
  b.out.push({ op: 'jump', to, ...(label && { label: label.text }) });
}

function lowerLabelled(b: Builder, { statement, label }: ts.LabeledStatement): void {
  const body = collect(b, () => {
    if (b.api.isIterationStatement(statement, false)) lowerLoopStatement(b, statement, label.text);
    else lowerStatement(b, statement);
  });
  b.out.push({ op: 'labelled', label: label.text, body });
}

function lowerLoopStatement(b: Builder, node: ts.IterationStatement, label?: string): void {
  inScope(b, () => lowerLoop(b, node, label));
}

function lowerClassDeclaration(b: Builder, node: ts.ClassDeclaration): void {
  const statics = lowerClass(b, node);
  const binding = node.name && b.bindings[b.scope.names.get(node.name.text) ?? -1];
  if (binding) binding.statics = statics.map(({ name, start, end }) => ({ name, range: { start, end } }));
  if (b.scope.parent === undefined) lowerExport(b, node);
}

function lowerFunctionDeclaration(b: Builder, node: ts.FunctionDeclaration): void {
  const binding = node.name && b.bindings[b.scope.names.get(node.name.text) ?? -1];
  if (!node.body) {
    if (binding) b.overloaded.add(binding.id);
    return;
  }
  const fn = lowerFunction(b, node, undefined, binding && b.overloaded.has(binding.id));
  if (binding) binding.fn = fn;
  if (b.scope.parent === undefined) lowerExport(b, node, fn);
}

function lowerVariables(b: Builder, list: ts.VariableDeclarationList): void {
  const { api } = b;
  for (const { name, type, initializer } of list.declarations) {
    if (type && api.isIdentifier(name)) noteType(b, name, type);
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
