type JsonSchema = Readonly<Record<string, unknown>>;

const INDENT = '  ';
const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;

/**
 * A TypeScript type out of a JSON Schema as our own conversion writes it. What has no narrower type is `unknown`;
 * `refName` gives the declaration that stands for a `$ref` (TCLI-13).
 */
export function printType(schema: unknown, refName: (ref: string) => string, indent = ''): string {
  if (typeof schema !== 'object' || schema === null) return schema === false ? 'never' : 'unknown';
  const json = schema as JsonSchema;
  const print = (member: unknown) => printType(member, refName, indent);

  if (typeof json.$ref === 'string') return refName(json.$ref);
  if ('const' in json) return printLiteral(json.const);
  if (Array.isArray(json.enum)) return union(json.enum.map(printLiteral));
  const alternatives = json.anyOf ?? json.oneOf;
  if (Array.isArray(alternatives)) return union(alternatives.map(print));
  if (Array.isArray(json.allOf)) return intersection(json.allOf.map(print));
  if (Array.isArray(json.type)) return union(json.type.map((type: unknown) => print({ ...json, type })));
  if (isNothing(json.not)) return 'never';
  switch (json.type) {
    case 'string':
    case 'boolean':
    case 'null':
      return json.type;
    case 'number':
    case 'integer':
      return 'number';
    case 'array':
      return printArray(json, print);
    case 'object':
      return printObject(json, refName, indent);
    default:
      return 'unknown';
  }
}

/** An object type of several lines, or `{}`. */
export function printFields(
  fields: readonly (readonly [name: string, type: string])[],
  indent: string,
): string {
  if (fields.length === 0) return '{}';
  const lines = fields.map(([name, type]) => `${indent}${INDENT}${name}: ${type};\n`);
  return `{\n${lines.join('')}${indent}}`;
}

export function propertyName(name: string): string {
  return IDENTIFIER.test(name) ? name : JSON.stringify(name);
}

/** Members once each, in their order; one that takes everything takes the others. */
export function union(types: readonly string[]): string {
  const distinct = [...new Set(types)].filter((type) => type !== 'never');
  if (distinct.includes('unknown')) return 'unknown';
  return distinct.length === 0 ? 'never' : distinct.join(' | ');
}

function intersection(types: readonly string[]): string {
  const narrowing = [...new Set(types)].filter((type) => type !== 'unknown');
  if (narrowing.length < 2) return narrowing[0] ?? 'unknown';
  return narrowing.map((type) => grouped(type)).join(' & ');
}

function printArray(
  { items, prefixItems, minItems }: JsonSchema,
  print: (schema: unknown) => string,
): string {
  if (!Array.isArray(prefixItems)) return `${grouped(print(items ?? true))}[]`;
  const required = typeof minItems === 'number' ? minItems : prefixItems.length;
  const members = prefixItems.map((item, index) => {
    const type = print(item);
    return index < required ? type : `${grouped(type)}?`;
  });
  const isOpen = typeof items === 'object' && items !== null && !isNothing((items as JsonSchema).not);
  return `[${[...members, ...(isOpen ? [`...${grouped(print(items))}[]`] : [])].join(', ')}]`;
}

function printObject(
  { properties, required, additionalProperties }: JsonSchema,
  refName: (ref: string) => string,
  indent: string,
): string {
  const names = Array.isArray(required) ? required : [];
  const fields = Object.entries((properties ?? {}) as JsonSchema).map(([name, schema]) => {
    const mark = names.includes(name) ? '' : '?';
    return [propertyName(name) + mark, printType(schema, refName, indent + INDENT)] as const;
  });
  const known = printFields(fields, indent);
  if (typeof additionalProperties !== 'object' || additionalProperties === null) return known;
  const rest = `{ [key: string]: ${printType(additionalProperties, refName, indent)} }`;
  return fields.length === 0 ? rest : `${known} & ${rest}`;
}

function printLiteral(value: unknown): string {
  return typeof value === 'object' && value !== null ? 'unknown' : JSON.stringify(value);
}

/** In parentheses where an operator would otherwise bind to a part of it; an object type ends at its brace. */
export function grouped(type: string): string {
  const atomic = /^[\w$.]+(\[\])*$/.test(type) || /^"(?:[^"\\]|\\.)*"$/.test(type);
  return atomic ? type : `(${type})`;
}

function isNothing(schema: unknown): boolean {
  return typeof schema === 'object' && schema !== null && Object.keys(schema).length === 0;
}
