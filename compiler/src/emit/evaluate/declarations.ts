import type ts from 'typescript';
import type { TypeScript } from '../../analysis/host.ts';

/** What a name of a scope was declared as, as far as a value can be read from it. */
export type Declaration =
  | { readonly kind: 'variable'; readonly node: ts.VariableDeclaration; readonly element?: ts.BindingElement }
  | { readonly kind: 'function'; readonly node: ts.FunctionDeclaration }
  | { readonly kind: 'enum'; readonly node: ts.EnumDeclaration }
  | {
      readonly kind: 'import';
      readonly specifier: string;
      /** `*` for the whole namespace */
      readonly name: string;
    }
  | { readonly kind: 'class' };

/** Names declared directly by the statements of a block or a module. */
export function declarationsOf(
  api: TypeScript,
  statements: readonly ts.Statement[],
): ReadonlyMap<string, Declaration> {
  const names = new Map<string, Declaration>();
  for (const statement of statements) {
    if (api.isVariableStatement(statement)) {
      for (const node of statement.declarationList.declarations) addPattern(api, names, node, node.name);
    } else if (api.isFunctionDeclaration(statement) && statement.name) {
      names.set(statement.name.text, { kind: 'function', node: statement });
    } else if (api.isEnumDeclaration(statement)) {
      names.set(statement.name.text, { kind: 'enum', node: statement });
    } else if (api.isClassDeclaration(statement) && statement.name) {
      names.set(statement.name.text, { kind: 'class' });
    } else if (api.isImportDeclaration(statement)) {
      addImports(api, names, statement);
    }
  }
  return names;
}

function addPattern(
  api: TypeScript,
  names: Map<string, Declaration>,
  node: ts.VariableDeclaration,
  pattern: ts.BindingName,
  element?: ts.BindingElement,
): void {
  if (api.isIdentifier(pattern)) {
    names.set(pattern.text, element ? { kind: 'variable', node, element } : { kind: 'variable', node });
    return;
  }
  for (const part of pattern.elements) {
    if (api.isBindingElement(part)) addPattern(api, names, node, part.name, part);
  }
}

function addImports(api: TypeScript, names: Map<string, Declaration>, node: ts.ImportDeclaration): void {
  const clause = node.importClause;
  if (clause === undefined || !api.isStringLiteral(node.moduleSpecifier)) return;
  const specifier = node.moduleSpecifier.text;
  if (clause.name) names.set(clause.name.text, { kind: 'import', specifier, name: 'default' });
  const bindings = clause.namedBindings;
  if (bindings === undefined) return;
  if (api.isNamespaceImport(bindings)) {
    names.set(bindings.name.text, { kind: 'import', specifier, name: '*' });
    return;
  }
  for (const element of bindings.elements) {
    const name = (element.propertyName ?? element.name).text;
    names.set(element.name.text, { kind: 'import', specifier, name });
  }
}

/** Where an exported name of a module comes from. */
export type ExportSource =
  | { readonly kind: 'local'; readonly name: string }
  | { readonly kind: 'expression'; readonly node: ts.Expression }
  | { readonly kind: 'from'; readonly specifier: string; readonly name: string };

export interface Exports {
  readonly named: ReadonlyMap<string, ExportSource>;
  /** specifiers of `export * from` */
  readonly stars: readonly string[];
}

export function exportsOf(api: TypeScript, file: ts.SourceFile): Exports {
  const named = new Map<string, ExportSource>();
  const stars: string[] = [];
  for (const statement of file.statements) {
    if (api.isExportAssignment(statement)) {
      named.set('default', { kind: 'expression', node: statement.expression });
    } else if (api.isExportDeclaration(statement)) {
      addExportDeclaration(api, named, stars, statement);
    } else if (isExported(api, statement)) {
      const isDefault = hasModifier(api, statement, api.SyntaxKind.DefaultKeyword);
      for (const name of declarationsOf(api, [statement]).keys()) {
        named.set(isDefault ? 'default' : name, { kind: 'local', name });
      }
    }
  }
  return { named, stars };
}

function addExportDeclaration(
  api: TypeScript,
  named: Map<string, ExportSource>,
  stars: string[],
  node: ts.ExportDeclaration,
): void {
  const from =
    node.moduleSpecifier && api.isStringLiteral(node.moduleSpecifier) ? node.moduleSpecifier.text : null;
  if (node.exportClause === undefined) {
    if (from !== null) stars.push(from);
  } else if (api.isNamespaceExport(node.exportClause)) {
    if (from !== null) named.set(node.exportClause.name.text, { kind: 'from', specifier: from, name: '*' });
  } else {
    for (const element of node.exportClause.elements) {
      const name = (element.propertyName ?? element.name).text;
      const source: ExportSource =
        from === null ? { kind: 'local', name } : { kind: 'from', specifier: from, name };
      named.set(element.name.text, source);
    }
  }
}

function isExported(api: TypeScript, node: ts.Statement): boolean {
  return hasModifier(api, node, api.SyntaxKind.ExportKeyword);
}

function hasModifier(api: TypeScript, node: ts.Statement, kind: ts.SyntaxKind): boolean {
  return (
    api.canHaveModifiers(node) && (api.getModifiers(node) ?? []).some((modifier) => modifier.kind === kind)
  );
}
