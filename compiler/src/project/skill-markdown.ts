import { createRequire } from 'node:module';
import type * as Yaml from 'yaml';
import type { Range } from '../analysis/program.ts';
import type { SkillField, SkillMarkdown } from '../analysis/project-facts.ts';

/** A leading `---` block: the lines between, and where the body starts. */
const FRONT_MATTER = /^---[ \t]*(?:\r\n|\r|\n)([\s\S]*?)(?<=^|[\r\n])---[ \t]*(?:\r\n|\r|\n|$)/d;

/** A `SKILL.md` as it is written (SKILL-12). `text` has no byte-order mark. Nothing is judged but whether it can be read. */
export function readSkillMarkdown(text: string): SkillMarkdown {
  const block = FRONT_MATTER.exec(text);
  if (block === null) {
    const problem = text.startsWith('---') ? 'is not closed by a line "---"' : 'is missing';
    return unreadable(problem, { start: 0, end: endOfLine(text, 0) });
  }
  const [{ length: bodyStart }, source = ''] = block;
  const read = readMapping(source, block.indices?.[1]?.[0] ?? 0);
  return 'problem' in read
    ? read
    : { ...read, body: { text: text.slice(bodyStart).trim(), start: bodyStart } };
}

function readMapping(
  source: string,
  offset: number,
): Omit<Extract<SkillMarkdown, { fields: unknown }>, 'body'> | Fault {
  // Few projects hold a skill; the parser is loaded for those.
  const yaml = createRequire(import.meta.url)('yaml') as typeof Yaml;
  const at = (start: number, end: number): Range => ({
    start: offset + start,
    end: offset + Math.max(start, end),
  });
  const whole = at(0, source.trimEnd().length);
  // In this schema every scalar is a string: `version: 1.0` is "1.0".
  const document = yaml.parseDocument(source, {
    schema: 'failsafe',
    prettyErrors: false,
    logLevel: 'silent',
  });
  const [error] = document.errors;
  if (error) return unreadable(`is no valid YAML: ${oneLine(error.message)}`, at(...error.pos));
  const { contents } = document;
  if (!yaml.isMap(contents)) return unreadable('is no mapping of fields', whole);
  try {
    const fields = contents.items.map((pair): SkillField => {
      const key = yaml.isNode(pair.key) ? pair.key : undefined;
      const range = key?.range ? at(key.range[0], key.range[1]) : whole;
      const value = yaml.isNode(pair.value) ? pair.value.toJS(document) : '';
      return { name: String(key?.toJS(document) ?? ''), value: shapeOf(value), range };
    });
    return { fields };
  } catch (error) {
    // An alias to nothing, or one that grows beyond all bounds.
    return unreadable(`is no valid YAML: ${oneLine(String((error as Error).message))}`, whole);
  }
}

type Fault = Extract<SkillMarkdown, { problem: unknown }>;

function unreadable(problem: string, range: Range): Fault {
  return { problem, range };
}

/** What a field may be: a string or a map of strings; `undefined` is any other shape. */
function shapeOf(value: unknown): SkillField['value'] {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const entries = Object.entries(value);
  return entries.every((entry): entry is [string, string] => typeof entry[1] === 'string')
    ? Object.fromEntries(entries)
    : undefined;
}

function endOfLine(text: string, from: number): number {
  const length = text.slice(from).search(/[\r\n]/);
  return length < 0 ? text.length : from + length;
}

function oneLine(message: string): string {
  return message.replace(/\s+/g, ' ').trim();
}
