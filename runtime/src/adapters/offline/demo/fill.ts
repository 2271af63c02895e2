import { Clause } from './clause.ts';
import { FORMATS, keepsLimits, membersOf, plainSchema, type Schema, typeOf } from './schema.ts';
import { nameWords, stem } from './words.ts';

export interface Missing {
  readonly name: string;
  readonly schema: Schema;
}

export interface Filled {
  readonly values: Record<string, unknown>;
  /** required parameters that the clause says nothing about */
  readonly missing: readonly Missing[];
}

/**
 * Fills a tool's parameters from a clause: values that the clause names first (`city: Paris`), so that no other parameter
 * takes them, then the required ones in schema order, each by its type (OFF-07). An optional parameter is filled only
 * by name, by an enum member or by a format (OFF-08).
 */
export function fillParameters(parameters: Schema, text: string): Filled {
  return fillObject(parameters, new Clause(text));
}

function fillObject(parameters: Schema, clause: Clause): Filled {
  const required = new Set(parameters.required ?? []);
  const entries = Object.entries(parameters.properties ?? {}).map(([name, schema]) => ({
    name,
    schema: plainSchema(schema),
  }));
  const found = new Map<string, unknown>();
  const look = (which: typeof entries, read: (name: string, schema: Schema) => unknown) => {
    for (const { name, schema } of which) {
      const value = found.has(name) ? undefined : read(name, schema);
      if (value !== undefined) found.set(name, value);
    }
  };
  look(entries, (name, schema) => namedValue(name, schema, clause));
  look(
    entries.filter((entry) => required.has(entry.name)),
    (name, schema) => requiredValue(name, schema, clause),
  );
  look(
    entries.filter((entry) => !required.has(entry.name)),
    (_, schema) => memberIn(schema, clause) ?? formatIn(schema, clause),
  );

  const missing = entries.filter((entry) => required.has(entry.name) && !found.has(entry.name));
  const values = Object.fromEntries(
    entries.filter(({ name }) => found.has(name)).map(({ name }) => [name, found.get(name)]),
  );
  return { values, missing };
}

function requiredValue(name: string, schema: Schema, clause: Clause): unknown {
  const members = membersOf(schema);
  if (members?.length === 1) return members[0];
  if (members) return memberIn(schema, clause);
  switch (typeOf(schema)) {
    case 'integer':
    case 'number':
      return numberIn(name, schema, clause);
    case 'boolean':
      return booleanIn(name, clause);
    case 'string':
      return stringIn(name, schema, clause);
    case 'array':
      return listIn(name, schema, clause);
    case 'object': {
      const { values, missing } = fillObject(schema, clause);
      return missing.length === 0 ? values : undefined;
    }
    default:
      return undefined;
  }
}

/** `name: value` or `name=value`; a value ends at a comma, a line, or the next name, and `=` takes one word. */
function namedValue(name: string, schema: Schema, clause: Clause): unknown {
  const label = nameWords(name).map(literal).join('[\\s_-]*');
  const value = `("[^"]*"|'[^']*'|(?<==\\s*)[^\\s,]+|(?<=:\\s*)[^,\\n]+?(?=\\s+[\\w-]+\\s*[:=]|[,\\n}]|$))`;
  return clause.take(new RegExp(`(?<![\\w])["']?${label}["']?\\s*[:=]\\s*${value}`, 'giu'), (found) =>
    parseAs(schema, found.replace(/^(["'])(.*)\1$/, '$2').trim()),
  );
}

/** A piece of text that stands for the whole value. */
function parseAs(schema: Schema, text: string): unknown {
  const members = membersOf(schema);
  if (members) return members.find((member) => normalize(String(member)) === normalize(text));
  const type = typeOf(schema);
  if (type === 'string') return text !== '' && keepsLimits(schema, text) ? text : undefined;
  if (type === 'boolean') return TRUTH.get(text.toLowerCase());
  if (type === 'array') {
    const items = itemsOf(schema, text);
    return items && keepsLimits(schema, items) ? items : undefined;
  }
  if (type !== 'integer' && type !== 'number') return undefined;
  const value = toNumber(text);
  return Number.isFinite(value) && keepsLimits(schema, value) ? value : undefined;
}

/** The enum member that the text names, the longest one first. */
function memberIn(schema: Schema, clause: Clause): unknown {
  const members = membersOf(schema);
  if (!members) return undefined;
  const longestFirst = [...members].sort((a, b) => String(b).length - String(a).length);
  for (const member of longestFirst) {
    const spelled = String(member)
      .split(/[\s_-]+/)
      .map(literal)
      .join('[\\s_-]+');
    const named = clause.take(new RegExp(`(?<![\\p{L}\\p{N}])${spelled}(?![\\p{L}\\p{N}])`, 'giu'), () => ({
      member,
    }));
    if (named) return named.member;
  }
  return undefined;
}

function formatIn(schema: Schema, clause: Clause): string | undefined {
  const pattern = schema.format === undefined ? undefined : FORMATS[schema.format]?.inText;
  return pattern && clause.take(pattern, (found) => (keepsLimits(schema, found) ? found : undefined));
}

/** A number on its own: no part of an id, a date or a version. */
const NUMBER = /(?<![\p{L}\p{N}_#.-])(-?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?)%?(?![\p{L}\p{N}_]|[-.,]\d)/gu;

/** The number beside the parameter's name, else the next one that is free. */
function numberIn(name: string, schema: Schema, clause: Clause): number | undefined {
  const read = (found: string) => {
    const value = toNumber(found);
    return keepsLimits(schema, value) ? value : undefined;
  };
  const words = new Set(nameWords(name).map(stem));
  const isBesideName = (match: RegExpMatchArray) => {
    const before = clause.text
      .slice(0, match.index)
      .match(/([\p{L}\p{N}]+)[\s:=]*(?:(?:of|is|to)\s+)?$/u)?.[1];
    const after = clause.text.slice(match.index! + match[0].length).match(/^\s*([\p{L}\p{N}]+)/u)?.[1];
    return [before, after].some((word) => word !== undefined && words.has(stem(word.toLowerCase())));
  };
  return (
    clause.take(NUMBER, (found, match) => (isBesideName(match) ? read(found) : undefined)) ??
    clause.take(NUMBER, read)
  );
}

function toNumber(text: string): number {
  return text === '' ? Number.NaN : Number(text.replaceAll(',', '').replace(/%$/, ''));
}

const TRUTH = new Map([
  ['yes', true],
  ['true', true],
  ['on', true],
  ['with', true],
  ['no', false],
  ['false', false],
  ['off', false],
  ['without', false],
]);

/** What stands beside the name ("without gift wrap", "gift wrap on"), else a plain yes or no, else any of the words. */
function booleanIn(name: string, clause: Clause): boolean | undefined {
  const label = nameWords(name).map(literal).join('[\\s_-]*');
  const word = '(yes|no|true|false|on|off|with|without)';
  const truth = (found: string) => TRUTH.get(found.toLowerCase());
  const patterns = [
    `\\b${word}\\s+(?:a\\s+|the\\s+)?${label}\\b`,
    `\\b${label}\\s+(?:is\\s+)?${word}\\b`,
    '\\b(yes|no|true|false)\\b',
    `\\b${word}\\b`,
  ];
  for (const pattern of patterns) {
    const value = clause.take(new RegExp(pattern, 'giu'), truth);
    if (value !== undefined) return value;
  }
  return undefined;
}

const ID_NAMES = new Set(['id', 'key', 'code', 'number', 'sku', 'ref']);
const PATH_NAMES = new Set(['path', 'file', 'dir']);
const WHOLE_NAMES = new Set(['query', 'question', 'prompt', 'message', 'text', 'content', 'body']);

/** `#` or letters, with digits: `ORD-1042`, `#17`, `a1b2`. */
const ID = /(?<![\w#-])(#[\w-]*\d[\w-]*|(?=[\w-]*\d)(?=[\w-]*\p{L})[\p{L}\d][\w-]*)/gu;
/** With a slash, or with an extension. */
export const PATH =
  /(?<![\w/.~])((?:~|\.{1,2})?\/?(?:[\w@.-]+\/)+[\w@.-]*\w|\/[\w@.-]*\w|[\w-]+(?:\.[\w-]+)*\.\p{L}\w{0,5})(?![\w/])/gu;
export const BACKTICKED = /`([^`]+)`/gu;
const QUOTED = /"([^"]+)"|(?<!\w)'([^']+)'(?!\w)|“([^”]+)”/gu;
const CAPITALIZED = /\b(?:in|for|to|of)\s+(\p{Lu}[\p{L}'’-]*(?:\s+\p{Lu}[\p{L}'’-]*)*)(?![\p{L}\d-])/gu;

function stringIn(name: string, schema: Schema, clause: Clause): string | undefined {
  const last = nameWords(name).at(-1) ?? '';
  const read = (found: string) => (keepsLimits(schema, found) ? found : undefined);
  const readQuoted = (found: string, match: RegExpMatchArray) =>
    read(match[1] ?? match[2] ?? match[3] ?? found);
  return (
    formatIn(schema, clause) ??
    (ID_NAMES.has(last) ? clause.take(ID, (id) => read(id) ?? read(id.replace(/^#/, ''))) : undefined) ??
    (PATH_NAMES.has(last) ? clause.take(PATH, read) : undefined) ??
    (last === 'command' ? clause.take(BACKTICKED, read) : undefined) ??
    clause.take(QUOTED, readQuoted) ??
    clause.take(CAPITALIZED, read) ??
    (WHOLE_NAMES.has(last) ? read(clause.text) : undefined)
  );
}

const ITEM = `"[^"]+"|\\p{Lu}[\\p{L}'’-]*(?:\\s+\\p{Lu}[\\p{L}'’-]*)*|[\\w#@./%-]*[\\w%]`;
const LIST = new RegExp(`(?:${ITEM})(?:(?:\\s*,\\s*(?:and\\s+)?|\\s+and\\s+)(?:${ITEM}))+`, 'gu');

/**
 * A comma or `and` list whose items are of the item type; without any, a single item is a list of one. A list that breaks
 * the limits is not used, and no part of it either.
 */
function listIn(name: string, schema: Schema, clause: Clause): unknown[] | undefined {
  let isListed = false;
  const list = clause.take(LIST, (found) => {
    const items = itemsOf(schema, found);
    isListed ||= items !== undefined;
    return items && keepsLimits(schema, items) ? items : undefined;
  });
  if (list || isListed) return list;
  const single = requiredValue(name.replace(/s$/, ''), itemSchema(schema), clause);
  return single !== undefined && keepsLimits(schema, [single]) ? [single] : undefined;
}

function itemsOf(schema: Schema, text: string): unknown[] | undefined {
  const item = itemSchema(schema);
  const pieces = text.split(/\s*,\s*(?:and\s+)?|\s+and\s+/u).map((piece) => piece.replace(/^"(.*)"$/, '$1'));
  const items = pieces.map((piece) => parseAs(item, piece));
  return items.every((value) => value !== undefined) ? items : undefined;
}

function itemSchema(schema: Schema): Schema {
  return plainSchema(schema.items ?? { type: 'string' });
}

function normalize(text: string): string {
  return text
    .toLowerCase()
    .replace(/[\s_-]+/g, ' ')
    .trim();
}

function literal(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
