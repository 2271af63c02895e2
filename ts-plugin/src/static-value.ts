import type { TypeScript } from '@flue/compiler/analysis';
import type ts from 'typescript';

/** What cannot be known without running the file. */
export const COMPUTED = Symbol('computed');

export type StaticValue =
  | string
  | number
  | boolean
  | null
  | typeof COMPUTED
  | readonly StaticValue[]
  | { readonly [key: string]: StaticValue };

/** The default export of a module as far as its text says it: literals, `const`s of the file and `defineConfig`. */
export function readDefaultExport(api: TypeScript, file: ts.SourceFile): StaticValue {
  const exported = file.statements.find(
    (statement): statement is ts.ExportAssignment =>
      api.isExportAssignment(statement) && !statement.isExportEquals,
  );
  return exported === undefined ? COMPUTED : evaluate(api, file, exported.expression);
}

function evaluate(api: TypeScript, file: ts.SourceFile, node: ts.Expression): StaticValue {
  const value = (inner: ts.Expression) => evaluate(api, file, inner);
  if (api.isParenthesizedExpression(node) || api.isAsExpression(node) || api.isSatisfiesExpression(node)) {
    return value(node.expression);
  }
  if (api.isStringLiteralLike(node)) return node.text;
  if (api.isNumericLiteral(node)) return Number(node.text);
  if (node.kind === api.SyntaxKind.TrueKeyword) return true;
  if (node.kind === api.SyntaxKind.FalseKeyword) return false;
  if (node.kind === api.SyntaxKind.NullKeyword) return null;
  if (api.isArrayLiteralExpression(node)) return node.elements.map(value);
  if (api.isObjectLiteralExpression(node)) return evaluateObject(api, file, node);
  if (api.isIdentifier(node)) return evaluateConst(api, file, node);
  const [argument] = api.isCallExpression(node) && isDefineConfig(api, node) ? node.arguments : [];
  return argument === undefined ? COMPUTED : value(argument);
}

function isDefineConfig(api: TypeScript, { expression }: ts.CallExpression): boolean {
  return api.isIdentifier(expression) && expression.text === 'defineConfig';
}

/** A spread or a computed key may set any field, so nothing is known of an object that has one. */
function evaluateObject(api: TypeScript, file: ts.SourceFile, node: ts.ObjectLiteralExpression): StaticValue {
  const fields: [string, StaticValue][] = [];
  for (const property of node.properties) {
    const { name } = property;
    if (name === undefined || !(api.isIdentifier(name) || api.isStringLiteralLike(name))) return COMPUTED;
    const value = api.isPropertyAssignment(property)
      ? evaluate(api, file, property.initializer)
      : api.isShorthandPropertyAssignment(property)
        ? evaluateConst(api, file, property.name)
        : COMPUTED;
    fields.push([name.text, value]);
  }
  return Object.fromEntries(fields);
}

/** Only a declaration before the use counts: that is what runs, and it rules out circles. */
function evaluateConst(api: TypeScript, file: ts.SourceFile, use: ts.Identifier): StaticValue {
  for (const statement of file.statements) {
    if (statement.end > use.pos || !api.isVariableStatement(statement)) continue;
    const { flags, declarations } = statement.declarationList;
    const found = declarations.find(({ name }) => api.isIdentifier(name) && name.text === use.text);
    if (!found?.initializer) continue;
    return (flags & api.NodeFlags.Const) === 0 ? COMPUTED : evaluate(api, file, found.initializer);
  }
  return COMPUTED;
}
