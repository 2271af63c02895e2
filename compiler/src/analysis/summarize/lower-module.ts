import type ts from 'typescript';
import { DIRECTIVE } from '../find.ts';
import type { Binding, DirectiveStatement, FunctionId } from '../program.ts';
import { type Builder, declare, lookup, rangeOf } from './builder.ts';
import { isTypeWrapper, lowerExpression } from './lower-expression.ts';

/** Import bindings are hoisted; they are declared before the first statement is lowered. */
export function declareImports(b: Builder, statements: readonly ts.Statement[]): void {
  const { api } = b;
  for (const statement of statements) {
    if (!api.isImportDeclaration(statement) || !api.isStringLiteral(statement.moduleSpecifier)) continue;
    const clause = statement.importClause;
    if (!clause) continue;
    const specifier = statement.moduleSpecifier.text;
    const bind = (name: ts.Identifier, imported: string, typeOnly: boolean) => {
      declare(b, name, 'import').import = {
        specifier,
        name: imported,
        typeOnly: typeOnly || clause.isTypeOnly,
      };
    };
    if (clause.name) bind(clause.name, 'default', false);
    const named = clause.namedBindings;
    if (named && api.isNamespaceImport(named)) bind(named.name, '*', false);
    else if (named) {
      for (const element of named.elements)
        bind(element.name, (element.propertyName ?? element.name).text, element.isTypeOnly);
    }
  }
}

export function lowerImport(b: Builder, node: ts.ImportDeclaration | ts.ImportEqualsDeclaration): void {
  const { api } = b;
  if (api.isImportEqualsDeclaration(node) || !api.isStringLiteral(node.moduleSpecifier)) return;
  const clause = node.importClause;
  const named = clause?.namedBindings;
  const onlyTypes =
    clause !== undefined &&
    (clause.isTypeOnly ||
      (!clause.name &&
        named !== undefined &&
        api.isNamedImports(named) &&
        named.elements.length > 0 &&
        named.elements.every((element) => element.isTypeOnly)));
  b.imports.push({
    specifier: node.moduleSpecifier.text,
    specifierRange: rangeOf(b, node.moduleSpecifier),
    form: 'import',
    typeOnly: onlyTypes,
    bare: clause === undefined,
    ...attributeOf(b, node.attributes),
    ...rangeOf(b, node),
  });
}

function attributeOf(b: Builder, attributes: ts.ImportAttributes | undefined) {
  for (const { name, value } of attributes?.elements ?? []) {
    if (name.text === 'type' && b.api.isStringLiteral(value)) {
      return { attribute: { type: value.text, range: rangeOf(b, attributes!) } };
    }
  }
  return {};
}

export function lowerExport(b: Builder, node: ts.Statement, fn?: FunctionId): void {
  const { api } = b;
  if (api.isExportDeclaration(node)) lowerExportList(b, node);
  else if (api.isExportAssignment(node)) {
    if (!node.isExportEquals) lowerDefaultExport(b, node);
  } else if (hasModifier(b, node, api.SyntaxKind.ExportKeyword)) {
    const isDefault = hasModifier(b, node, api.SyntaxKind.DefaultKeyword);
    for (const { name, range, binding } of declaredNames(b, node)) {
      b.exports.push({
        kind: 'local',
        name: isDefault ? 'default' : name,
        binding: binding.id,
        form: isDefault ? 'default' : 'declaration',
        range,
      });
    }
    if (isDefault && fn !== undefined && !(node as ts.FunctionDeclaration).name) {
      const range = rangeOf(b, node);
      b.exports.push({ kind: 'value', name: 'default', value: { k: 'function', fn, ...range }, range });
    }
  }
}

function hasModifier(b: Builder, node: ts.Node, kind: ts.SyntaxKind): boolean {
  return (
    b.api.canHaveModifiers(node) &&
    (b.api.getModifiers(node) ?? []).some((modifier) => modifier.kind === kind)
  );
}

function declaredNames(
  b: Builder,
  node: ts.Statement,
): { name: string; range: { start: number; end: number }; binding: Binding }[] {
  const { api } = b;
  const names: ts.Identifier[] = [];
  const add = (name: ts.BindingName): void => {
    if (api.isIdentifier(name)) names.push(name);
    else for (const element of name.elements) if (api.isBindingElement(element)) add(element.name);
  };
  if (api.isVariableStatement(node)) for (const { name } of node.declarationList.declarations) add(name);
  else if ((api.isFunctionDeclaration(node) || api.isClassDeclaration(node)) && node.name)
    names.push(node.name);
  return names.flatMap((name) => {
    const binding = lookup(b, name.text);
    return binding ? [{ name: name.text, range: rangeOf(b, name), binding }] : [];
  });
}

function lowerExportList(b: Builder, node: ts.ExportDeclaration): void {
  const { api } = b;
  const source =
    node.moduleSpecifier && api.isStringLiteral(node.moduleSpecifier) ? node.moduleSpecifier : undefined;
  const clause = node.exportClause;
  if (source) {
    const named = clause && api.isNamedExports(clause) ? clause.elements : undefined;
    const typeOnly =
      node.isTypeOnly ||
      (named !== undefined && named.length > 0 && named.every((element) => element.isTypeOnly));
    b.imports.push({
      specifier: source.text,
      specifierRange: rangeOf(b, source),
      form: 'export',
      typeOnly,
      bare: false,
      ...attributeOf(b, node.attributes),
      ...rangeOf(b, node),
    });
  }
  if (!clause) {
    if (source)
      b.exports.push({
        kind: 'star',
        specifier: source.text,
        typeOnly: node.isTypeOnly,
        range: rangeOf(b, node),
      });
    return;
  }
  if (api.isNamespaceExport(clause)) {
    if (source) {
      b.exports.push({
        kind: 'from',
        name: clause.name.text,
        specifier: source.text,
        imported: '*',
        typeOnly: node.isTypeOnly,
        range: rangeOf(b, clause),
      });
    }
    return;
  }
  for (const element of clause.elements) {
    const local = element.propertyName ?? element.name;
    const range = rangeOf(b, element);
    const typeOnly = node.isTypeOnly || element.isTypeOnly;
    if (source) {
      b.exports.push({
        kind: 'from',
        name: element.name.text,
        specifier: source.text,
        imported: local.text,
        typeOnly,
        range,
      });
    } else {
      const binding = lookup(b, local.text);
      if (binding && !typeOnly)
        b.exports.push({ kind: 'local', name: element.name.text, binding: binding.id, form: 'list', range });
    }
  }
}

function lowerDefaultExport(b: Builder, node: ts.ExportAssignment): void {
  const { api } = b;
  let inner = node.expression;
  while (api.isParenthesizedExpression(inner) || isTypeWrapper(b, inner)) inner = inner.expression;
  const range = rangeOf(b, node);
  const value = lowerExpression(b, inner);
  if (value.k === 'ref')
    b.exports.push({ kind: 'local', name: 'default', binding: value.binding, form: 'default', range });
  else b.exports.push({ kind: 'value', name: 'default', value, range });
}

/** Keep strings that stand alone: directives, and what was meant to be one. */
export function noteStringStatement(
  b: Builder,
  node: ts.ExpressionStatement,
  of: 'module' | 'function',
  isFirst: boolean,
): void {
  const { api } = b;
  let inner: ts.Expression = node.expression;
  while (api.isParenthesizedExpression(inner) || isTypeWrapper(b, inner)) inner = inner.expression;
  if (!api.isStringLiteral(inner) && !api.isNoSubstitutionTemplateLiteral(inner)) return;
  const raw = inner.getText(b.file);
  const range = rangeOf(b, node);
  let form: DirectiveStatement['form'] = 'plain';
  if (api.isNoSubstitutionTemplateLiteral(inner)) form = 'template';
  else if (inner !== node.expression) form = 'wrapped';
  else if (raw.slice(1, -1) !== inner.text) form = 'escaped';
  if (of === 'module') {
    const place = form !== 'template' && form !== 'wrapped' && inPrologue(b, node) ? 'prologue' : 'later';
    b.directives.push({
      text: inner.text,
      raw,
      place: place === 'later' && isFirst ? 'prologue' : place,
      form,
      ...range,
    });
  } else if (isFirst && inner.text === DIRECTIVE) {
    b.directives.push({ text: inner.text, raw, place: 'function', form, ...range });
  }
}

function inPrologue(b: Builder, node: ts.Statement): boolean {
  for (const statement of b.file.statements) {
    if (statement === node) return true;
    if (!b.api.isExpressionStatement(statement) || !b.api.isStringLiteral(statement.expression)) return false;
  }
  return false;
}
