import type ts from 'typescript';
import type { WrittenType } from '../program.ts';
import type { Builder } from './builder.ts';

/** What a type annotation says without a look at anything else, so that no checker has to be asked (RULE-07). */
export function writtenType({ api }: Builder, node: ts.TypeNode | undefined): WrittenType | undefined {
  if (!node) return undefined;
  if (node.kind === api.SyntaxKind.StringKeyword) return 'string';
  return isJson(node) ? 'json' : undefined;

  function isJson(type: ts.TypeNode): boolean {
    switch (type.kind) {
      case api.SyntaxKind.StringKeyword:
      case api.SyntaxKind.NumberKeyword:
      case api.SyntaxKind.BooleanKeyword:
        return true;
    }
    if (api.isLiteralTypeNode(type))
      return !api.isBigIntLiteral(type.literal) && !isNegativeBigInt(type.literal);
    if (api.isArrayTypeNode(type)) return isJson(type.elementType);
    if (api.isParenthesizedTypeNode(type)) return isJson(type.type);
    if (api.isUnionTypeNode(type)) return type.types.every(isJson);
    if (!api.isTypeLiteralNode(type)) return false;
    return type.members.every(
      (member) => api.isPropertySignature(member) && member.type !== undefined && isJson(member.type),
    );
  }

  function isNegativeBigInt(literal: ts.Node): boolean {
    return api.isPrefixUnaryExpression(literal) && api.isBigIntLiteral(literal.operand);
  }
}
