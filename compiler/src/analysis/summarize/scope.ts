import type ts from 'typescript';
import type { Binding } from '../program.ts';
import { type Builder, declare, lookup } from './builder.ts';

/**
 * Declare what a list of statements declares, before any of it is lowered: functions above may name constants below.
 * `var` belongs to the function around and is declared by `hoistVars`.
 */
export function predeclare(b: Builder, statements: readonly ts.Statement[]): void {
  const { api } = b;
  for (const statement of statements) {
    if (api.isVariableStatement(statement)) {
      const kind = variableKind(b, statement.declarationList);
      if (kind === 'var') continue;
      for (const { name } of statement.declarationList.declarations) declareNames(b, name, kind);
    } else if (api.isFunctionDeclaration(statement)) {
      if (statement.name) declare(b, statement.name, 'function');
    } else if (api.isClassDeclaration(statement)) {
      if (statement.name) declare(b, statement.name, 'class');
    } else if (api.isEnumDeclaration(statement)) {
      declare(b, statement.name, 'enum').members = enumMembers(b, statement);
    } else if (api.isModuleDeclaration(statement) && api.isIdentifier(statement.name)) {
      if (!lookupOwn(b, statement.name.text)) declare(b, statement.name, 'namespace');
    }
  }
}

function lookupOwn(b: Builder, name: string): Binding | undefined {
  const id = b.scope.names.get(name);
  return id === undefined ? undefined : b.bindings[id];
}

export function variableKind(b: Builder, list: ts.VariableDeclarationList): 'const' | 'let' | 'var' {
  const { NodeFlags } = b.api;
  if (!(list.flags & NodeFlags.BlockScoped)) return 'var';
  return (list.flags & NodeFlags.BlockScoped) === NodeFlags.Let ? 'let' : 'const';
}

export function declareNames(b: Builder, name: ts.BindingName, kind: Binding['kind']): Binding[] {
  if (b.api.isIdentifier(name)) return [declare(b, name, kind)];
  const bindings: Binding[] = [];
  for (const element of name.elements) {
    if (b.api.isBindingElement(element)) bindings.push(...declareNames(b, element.name, kind));
  }
  return bindings;
}

/** Declare every `var` of a function body, wherever it is nested, without entering other functions. */
export function hoistVars(b: Builder, body: ts.Node): void {
  if (!b.usesVar) return;
  const { api } = b;
  const visit = (node: ts.Node): void => {
    if (api.isFunctionLike(node) || api.isClassLike(node)) return;
    if (api.isVariableDeclarationList(node) && variableKind(b, node) === 'var') {
      for (const { name } of node.declarations) {
        if (!(api.isIdentifier(name) && lookupOwn(b, name.text))) declareNames(b, name, 'var');
      }
    }
    api.forEachChild(node, visit);
  };
  api.forEachChild(body, visit);
}

/** Members of an enum as far as they are literals or counted; one computed member hides those after it. */
function enumMembers(b: Builder, node: ts.EnumDeclaration): Record<string, string | number> {
  const { api } = b;
  const members: Record<string, string | number> = {};
  let next: number | undefined = 0;
  for (const { name, initializer } of node.members) {
    if (!api.isIdentifier(name) && !api.isStringLiteral(name)) continue;
    let value: string | number | undefined = next;
    if (initializer) {
      if (api.isStringLiteralLike(initializer)) value = initializer.text;
      else value = api.isNumericLiteral(initializer) ? Number(initializer.text) : undefined;
    }
    if (value !== undefined) members[name.text] = value;
    next = typeof value === 'number' ? value + 1 : undefined;
  }
  return members;
}

export function markAssigned(b: Builder, target: ts.Expression): void {
  const { api } = b;
  if (api.isIdentifier(target)) {
    const binding = lookup(b, target.text);
    if (binding) binding.assigned = true;
  } else if (
    api.isParenthesizedExpression(target) ||
    api.isNonNullExpression(target) ||
    api.isAsExpression(target)
  ) {
    markAssigned(b, target.expression);
  } else if (api.isArrayLiteralExpression(target)) {
    for (const element of target.elements)
      markAssigned(b, api.isSpreadElement(element) ? element.expression : element);
  } else if (api.isObjectLiteralExpression(target)) {
    for (const property of target.properties) {
      if (api.isShorthandPropertyAssignment(property)) markAssigned(b, property.name);
      else if (api.isPropertyAssignment(property)) markAssigned(b, property.initializer);
      else if (api.isSpreadAssignment(property)) markAssigned(b, property.expression);
    }
  } else if (api.isBinaryExpression(target)) {
    markAssigned(b, target.left);
  }
}
