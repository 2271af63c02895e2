import type ts from 'typescript';
import { NO_JSON, OBJECTS, OPTIONAL, type SchemaPart, TUPLES, WRAPPERS } from './compose/schema-parts.ts';
import type { Types } from './types.ts';

type Part = Pick<SchemaPart, 'path' | 'type'>;

/** How deep a schema is followed; what lies deeper is not judged. */
const MAX_DEPTH = 16;

/** The same as `partsWithoutJson`, of a schema that only its type tells of: every Valibot schema carries its kind there. */
export function partsWithoutJsonByType({ api, checker }: Types, schema: ts.Node, path: string): Part[] {
  return judge(checker.getTypeAtLocation(schema), path, 0);

  function judge(type: ts.Type, path: string, depth: number): Part[] {
    const kind = depth > MAX_DEPTH || textOf(type, 'kind') !== 'schema' ? undefined : textOf(type, 'type');
    if (kind === undefined || OPTIONAL.has(snakeless(kind))) return [];
    const name = snakeless(kind);
    if (NO_JSON.has(name)) return [{ path, type: name }];
    const within = (member: string, at: string) => {
      const inner = memberOf(type, member);
      return inner ? judge(inner, at, depth + 1) : [];
    };
    if (OBJECTS.has(name)) return fieldsOf(memberOf(type, 'entries'), path, depth);
    if (TUPLES.has(name)) {
      const items = elementsOf(memberOf(type, 'items'));
      return items.flatMap((item, index) => judge(item, `${path}[${index}]`, depth + 1));
    }
    if (WRAPPERS.has(name)) return within('wrapped', path);
    if (name === 'array') return within('item', `${path}[]`);
    if (name === 'record') return within('value', `${path}[key]`);
    const options = elementsOf(memberOf(type, 'options')).map((option) => judge(option, path, depth + 1));
    if (name === 'intersect') return options.flat();
    const isRefused = (name === 'union' || name === 'variant') && options.length > 0;
    return isRefused && options.every((parts) => parts.length > 0) ? options[0]! : [];
  }

  function fieldsOf(entries: ts.Type | undefined, path: string, depth: number): Part[] {
    return (entries?.getProperties() ?? []).flatMap((field) => {
      const inner = path === '' ? field.name : `${path}.${field.name}`;
      return judge(checker.getTypeOfSymbolAtLocation(field, schema), inner, depth + 1);
    });
  }

  function memberOf(type: ts.Type, name: string): ts.Type | undefined {
    const member = type.getProperty(name);
    return member && checker.getTypeOfSymbolAtLocation(member, schema);
  }

  function elementsOf(type: ts.Type | undefined): readonly ts.Type[] {
    return type && checker.isTupleType(type) ? checker.getTypeArguments(type as ts.TypeReference) : [];
  }

  function textOf(type: ts.Type, name: string): string | undefined {
    if (!(type.flags & (api.TypeFlags.Object | api.TypeFlags.Intersection))) return undefined;
    const text = memberOf(type, name);
    return text?.isStringLiteral() ? text.value : undefined;
  }
}

/** A schema names its kind `strict_object` where the function that makes it is `strictObject`. */
function snakeless(kind: string): string {
  return kind.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}
