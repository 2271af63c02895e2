import type ts from 'typescript';
import type { Types } from './types.ts';

/** A part of a value that no JSON can hold (JSON-01). */
export interface NotJson {
  /** from the value inward: `items[].at`; empty for the value itself */
  readonly path: string;
  readonly type: string;
  /** some values of the type hold it and others do not */
  readonly isPossible: boolean;
}

/** How deep a type is followed; what lies deeper is not judged. */
const MAX_DEPTH = 6;

/** Objects of the platform that lose what they are when they are written as JSON. */
const PLATFORM =
  /^(?:(?:Readonly|Weak)?(?:Map|Set)|WeakRef|Promise|PromiseLike|RegExp|(?:\w*Error)|(?:Shared)?ArrayBuffer|DataView|(?:Big)?(?:Ui|I)nt\d+(?:Clamped)?Array|Float\d+Array|Response|Request|Headers|FormData|Blob|File|\w*Stream|Abort(?:Signal|Controller)|(?:Async)?(?:Generator|Iterator|IterableIterator))$/;

/** The first part of a type that JSON refuses. What is not known to be refused is accepted (RULE-17). */
export function partNotJson(types: Types, type: ts.Type, at: ts.Node): NotJson | undefined {
  const { api, checker } = types;
  const open = new Set<ts.Type>();
  return judge(type, '', 0);

  function judge(part: ts.Type, path: string, depth: number): NotJson | undefined {
    if (depth > MAX_DEPTH || open.has(part)) return undefined;
    if (part.flags & (api.TypeFlags.BigIntLike | api.TypeFlags.ESSymbolLike)) return refused(part, path);
    if (part.isUnion()) return judgeUnion(part, path, depth);
    if (!(part.flags & (api.TypeFlags.Object | api.TypeFlags.Intersection))) return undefined;
    open.add(part);
    const found = judgeObject(part, path, depth);
    open.delete(part);
    return found;
  }

  function judgeUnion(union: ts.UnionType, path: string, depth: number): NotJson | undefined {
    const nothing = api.TypeFlags.Undefined | api.TypeFlags.Null | api.TypeFlags.Void;
    const members = union.types.filter((member) => !(member.flags & nothing));
    const judged = members.map((member) => judge(member, path, depth));
    const first = judged.find((found) => found !== undefined);
    return first && { ...first, isPossible: judged.some((found) => !found || found.isPossible) };
  }

  function judgeObject(object: ts.Type, path: string, depth: number): NotJson | undefined {
    if (object.getCallSignatures().length > 0 || object.getConstructSignatures().length > 0)
      return refused(object, path);
    if (object.getProperty('toJSON')) return undefined;
    if (checker.isArrayType(object) || checker.isTupleType(object))
      return judgeItems(checker.getTypeArguments(object as ts.TypeReference), path, depth);
    if (isInstance(object)) return refused(object, path);
    for (const property of object.getProperties()) {
      const inner = path === '' ? property.name : `${path}.${property.name}`;
      const isOptional = (property.flags & api.SymbolFlags.Optional) !== 0;
      const found = judge(checker.getTypeOfSymbolAtLocation(property, at), inner, depth + 1);
      if (found) return isOptional ? { ...found, isPossible: true } : found;
    }
    const values = object.getStringIndexType();
    const found = values && judge(values, `${path}[]`, depth + 1);
    return found && { ...found, isPossible: true };
  }

  /** An absent property is left out of the JSON; an absent element is refused. */
  function judgeItems(items: readonly ts.Type[], path: string, depth: number): NotJson | undefined {
    for (const item of items) {
      const inner = `${path}[]`;
      const options = item.isUnion() ? item.types : [item];
      const absent = options.find((option) => option.flags & api.TypeFlags.Undefined);
      const found = absent ? refused(absent, inner) : judge(item, inner, depth + 1);
      if (found) return { ...found, isPossible: found.isPossible || options.length > 1 };
    }
    return undefined;
  }

  function isInstance(object: ts.Type): boolean {
    const symbol = object.getSymbol();
    if (!symbol) return false;
    if (symbol.flags & api.SymbolFlags.Class) return true;
    const isAmbient = symbol.declarations?.every((node) => node.getSourceFile().isDeclarationFile) ?? false;
    return isAmbient && PLATFORM.test(symbol.name);
  }

  function refused(part: ts.Type, path: string): NotJson {
    return { path, type: checker.typeToString(part, at), isPossible: false };
  }
}
