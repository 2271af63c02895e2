import { compareCodeUnits } from '@flue/runtime/internal';
import type ts from 'typescript';
import type { Types } from '../analysis/types.ts';
import { grouped, printFields, propertyName, union } from './client-type.ts';

/** `null` last, as one writes it. */
function rank(type: string): string {
  return (type === 'null' ? '1' : '0') + type;
}

/** Keys that are symbols are no part of JSON. */
function isNamed({ name }: ts.Symbol): boolean {
  return !name.startsWith('__@');
}

/** How deep a type is followed; what lies deeper is `unknown`. */
const MAX_DEPTH = 12;
/** Longer unions are types of libraries rather than of what a tool says. */
const MAX_MEMBERS = 64;

/** Declarations for types that refer to themselves, by the name that the printed type uses (TCLI-13). */
export interface Declarations {
  /** prefix of their names */
  readonly prefix: string;
  readonly texts: string[];
}

/**
 * What a value of a type is once it was written as JSON and read again: a `Date` is its text, nothing is `null`, a
 * property that may be missing is optional. What no JSON holds never gets this far, so it is `unknown` (TCLI-09).
 */
export function printJsonType(types: Types, type: ts.Type, at: ts.Node, declarations: Declarations): string {
  const { api, checker } = types;
  const { TypeFlags } = api;
  /** types being printed; a value once something inside refers to them */
  const open = new Map<ts.Type, string | undefined>();
  return print(type, '      ', 0);

  function print(part: ts.Type, indent: string, depth: number): string {
    const { flags } = part;
    if (flags & TypeFlags.Never) return 'never';
    if (flags & (TypeFlags.Null | TypeFlags.Undefined | TypeFlags.Void)) return 'null';
    if (flags & TypeFlags.StringLiteral) return JSON.stringify((part as ts.StringLiteralType).value);
    if (flags & TypeFlags.NumberLiteral) return String((part as ts.NumberLiteralType).value);
    if (flags & TypeFlags.BooleanLiteral) return checker.typeToString(part);
    if (part.isUnion()) return printUnion(part, indent, depth);
    if (flags & TypeFlags.StringLike) return 'string';
    if (flags & TypeFlags.NumberLike) return 'number';
    if (flags & TypeFlags.BooleanLike) return 'boolean';
    if (flags & TypeFlags.Instantiable) {
      const constraint = checker.getBaseConstraintOfType(part);
      return constraint && constraint !== part ? print(constraint, indent, depth) : 'unknown';
    }
    if (!(flags & (TypeFlags.Object | TypeFlags.Intersection)) || depth > MAX_DEPTH) return 'unknown';
    return named(part, () => printObject(part, indent, depth));
  }

  function printUnion(part: ts.UnionType, indent: string, depth: number): string {
    if (part.types.length > MAX_MEMBERS) return 'unknown';
    const members = part.types.map((member) => print(member, indent, depth));
    const hasBoth = members.includes('true') && members.includes('false');
    const merged = members.map((member) => (hasBoth && /^(?:true|false)$/.test(member) ? 'boolean' : member));
    // The checker orders members by what it met first in the whole program; the text depends on the type alone.
    return union(merged.sort((a, b) => compareCodeUnits(rank(a), rank(b))));
  }

  /** A type that something inside it refers to becomes a declaration. */
  function named(part: ts.Type, printBody: () => string): string {
    if (open.has(part)) {
      const name = open.get(part) ?? nextName();
      open.set(part, name);
      return name;
    }
    open.set(part, undefined);
    const body = printBody();
    const name = open.get(part);
    open.delete(part);
    if (name === undefined) return body;
    declarations.texts.push(`export type ${name} = ${body};\n`);
    return name;
  }

  function nextName(): string {
    const { prefix, texts } = declarations;
    const closed = texts.filter((text) => text.startsWith(`export type ${prefix}Part`)).length;
    return `${prefix}Part${closed + [...open.values()].filter((name) => name !== undefined).length + 1}`;
  }

  function printObject(object: ts.Type, indent: string, depth: number): string {
    const toJson = object.getProperty('toJSON');
    if (toJson) return printToJson(toJson, indent, depth);
    if (object.getCallSignatures().length > 0 || object.getConstructSignatures().length > 0) return 'unknown';
    if (checker.isArrayType(object) || checker.isTupleType(object)) return printItems(object, indent, depth);
    if (isInstance(object)) return 'unknown';
    const fields = object
      .getProperties()
      .filter(isNamed)
      .map((property) => {
        const value = checker.getTypeOfSymbolAtLocation(property, at);
        const isOptional = (property.flags & api.SymbolFlags.Optional) !== 0 || mayBeMissing(value);
        const text = print(isOptional ? present(value) : value, `${indent}  `, depth + 1);
        return [propertyName(property.name) + (isOptional ? '?' : ''), text] as const;
      });
    const known = printFields(fields, indent);
    const values = object.getStringIndexType();
    if (!values) return known;
    const rest = `{ [key: string]: ${print(values, indent, depth + 1)} }`;
    return fields.length === 0 ? rest : `${known} & ${rest}`;
  }

  function printToJson(method: ts.Symbol, indent: string, depth: number): string {
    const [signature] = checker.getTypeOfSymbolAtLocation(method, at).getCallSignatures();
    return signature ? print(signature.getReturnType(), indent, depth + 1) : 'unknown';
  }

  function printItems(list: ts.Type, indent: string, depth: number): string {
    const items = checker.getTypeArguments(list as ts.TypeReference);
    const texts = items.map((item) => grouped(print(item, indent, depth + 1)));
    if (!checker.isTupleType(list)) return `${texts[0] ?? 'unknown'}[]`;
    const { elementFlags } = (list as ts.TupleTypeReference).target;
    const members = texts.map((text, index) => {
      const flag = elementFlags[index] ?? api.ElementFlags.Required;
      if (flag & api.ElementFlags.Variable) return `...${text}[]`;
      return flag & api.ElementFlags.Optional ? `${text}?` : text;
    });
    return `[${members.join(', ')}]`;
  }

  function mayBeMissing(value: ts.Type): boolean {
    const options = value.isUnion() ? value.types : [value];
    return options.some(({ flags }) => flags & TypeFlags.Undefined);
  }

  /** Without the `undefined` that JSON leaves out; with the `null` that it keeps. */
  function present(value: ts.Type): ts.Type {
    const options = value.isUnion() ? value.types : [value];
    const hasNull = options.some(({ flags }) => flags & TypeFlags.Null);
    return hasNull ? value : checker.getNonNullableType(value);
  }

  /** Of a class, whose type a client cannot name; JSON refuses most of them anyway. */
  function isInstance(object: ts.Type): boolean {
    return ((object.getSymbol()?.flags ?? 0) & api.SymbolFlags.Class) !== 0;
  }
}
