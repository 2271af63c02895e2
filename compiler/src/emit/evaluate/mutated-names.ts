import type ts from 'typescript';
import type { TypeScript } from '../../analysis/host.ts';

const MUTATORS = new Set([
  'push',
  'pop',
  'shift',
  'unshift',
  'splice',
  'sort',
  'reverse',
  'fill',
  'copyWithin',
  'set',
]);

/**
 * Names of a file whose value is changed in place somewhere: `x.a = 1`, `x.push(1)`, `Object.assign(x, ...)`. What their
 * initializer says is not what a later reader sees, so it proves nothing.
 */
export function mutatedNames(api: TypeScript, file: ts.SourceFile): ReadonlySet<string> {
  const names = new Set<string>();
  const addRoot = (node: ts.Node) => {
    let root = node;
    while (api.isPropertyAccessExpression(root) || api.isElementAccessExpression(root))
      root = root.expression;
    if (root !== node && api.isIdentifier(root)) names.add(root.text);
  };
  const visit = (node: ts.Node): void => {
    if (api.isBinaryExpression(node) && isAssignment(api, node.operatorToken.kind)) addRoot(node.left);
    else if (api.isDeleteExpression(node)) addRoot(node.expression);
    else if (api.isPrefixUnaryExpression(node) || api.isPostfixUnaryExpression(node)) addRoot(node.operand);
    else if (api.isCallExpression(node)) addCall(node);
    api.forEachChild(node, visit);
  };
  const addCall = (node: ts.CallExpression) => {
    if (!api.isPropertyAccessExpression(node.expression)) return;
    const { expression: object, name } = node.expression;
    if (MUTATORS.has(name.text)) addRoot(node.expression);
    const [target] = node.arguments;
    const assigns = api.isIdentifier(object) && object.text === 'Object' && name.text !== 'freeze';
    if (assigns && target && api.isIdentifier(target)) names.add(target.text);
  };
  visit(file);
  return names;
}

function isAssignment(api: TypeScript, kind: ts.SyntaxKind): boolean {
  return kind >= api.SyntaxKind.FirstAssignment && kind <= api.SyntaxKind.LastAssignment;
}
