import type ts from 'typescript';
import type { Types } from './types.ts';

/** Provably no synchronous Valibot schema by its type: one of another kind, or an async one. */
export function isNoSchemaType({ api, checker }: Types, node: ts.Node): boolean {
  const type = checker.getTypeAtLocation(node);
  if (!(type.flags & api.TypeFlags.Object) || type.getProperties().length === 0) return false;
  const kind = type.getProperty('kind');
  if (kind === undefined) return true;
  const async = type.getProperty('async');
  return (
    async !== undefined && checker.typeToString(checker.getTypeOfSymbolAtLocation(async, node)) === 'true'
  );
}
