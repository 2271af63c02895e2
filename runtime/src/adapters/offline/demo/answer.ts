import type { ModelTool } from '../../../ports/model-gateway.ts';
import type { ToolResult } from './exchange.ts';
import type { Missing } from './fill.ts';
import { membersOf, type Schema, typeOf } from './schema.ts';
import { nameWords } from './words.ts';

const OBJECT_LINES = 20;
const ARRAY_ITEMS = 5;
const LISTED_TOOLS = 8;

/** A tool's result in the words of the result, and nothing else (OFF-10). */
export function describeResult(result: ToolResult): string {
  const texts = result.content.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  const images = result.content.filter((part) => part.type === 'image').length;
  const shown = images > 0 ? [...texts, images === 1 ? '1 image' : `${images} images`] : texts;
  const text = shown.join('\n');
  return result.isError ? `The tool ${result.tool} failed: ${text}` : describeValue(parsed(text));
}

function describeValue(value: unknown): string {
  if (Array.isArray(value)) {
    const items = value.slice(0, ARRAY_ITEMS).map((item) => `- ${inline(item)}`);
    return [value.length === 1 ? '1 item' : `${value.length} items`, ...items].join('\n');
  }
  if (typeof value === 'object' && value !== null)
    return objectLines(value).slice(0, OBJECT_LINES).join('\n');
  return String(value);
}

/** `key: value` lines; an object below becomes indented lines of its own, anything deeper stays on one line. */
function objectLines(value: object): string[] {
  return Object.entries(value).flatMap(([key, item]) =>
    typeof item === 'object' && item !== null && !Array.isArray(item)
      ? [`${key}:`, ...Object.entries(item).map(([inner, leaf]) => `  ${inner}: ${inline(leaf)}`)]
      : [`${key}: ${inline(item)}`],
  );
}

function inline(value: unknown): string {
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) return value.join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** What a text says as JSON; a text that is no object, list or string in JSON is itself. */
function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' || typeof value === 'string' ? value : text;
  } catch {
    return text;
  }
}

/** Asks for what a clause left out: each missing name, and a phrase that would do (OFF-09). */
export function askFor(tool: ModelTool, missing: readonly Missing[]): string {
  const lines = missing.map(({ name, schema }) => {
    const type = membersOf(schema)?.map(String).join(' | ') ?? typeOf(schema) ?? 'any';
    return `- ${name} (${type})${schema.description ? `: ${schema.description}` : ''}`;
  });
  const values = missing.map(({ name, schema }) => `${name}: ${exampleOf(name, schema)}`);
  return [
    `To call ${tool.name} I need:`,
    ...lines,
    `For example: "${nameWords(tool.name).join(' ')}, ${values.join(', ')}"`,
  ].join('\n');
}

function exampleOf(name: string, schema: Schema): string {
  const member = membersOf(schema)?.[0];
  if (member !== undefined) return String(member);
  switch (typeOf(schema)) {
    case 'integer':
    case 'number':
      return String(schema.minimum ?? 3);
    case 'boolean':
      return 'yes';
    case 'array':
      return 'first and second';
    default:
      return (
        FORMAT_EXAMPLES[schema.format ?? ''] ??
        (/(?:id|key|code|number|sku|ref)$/i.test(name) ? 'A-100' : 'something')
      );
  }
}

const FORMAT_EXAMPLES: Readonly<Record<string, string>> = {
  email: 'ann@example.com',
  uri: 'https://example.com',
  url: 'https://example.com',
  date: '2030-01-31',
  'date-time': '2030-01-31T09:00:00Z',
  uuid: '00000000-0000-4000-8000-000000000000',
};

/** What there is to ask for, and how to get a model that understands more (OFF-11). */
export function describeTools(tools: readonly ModelTool[]): string {
  const lines = tools.slice(0, LISTED_TOOLS).map((tool) => `- ${tool.name}: ${tool.description}`);
  const rest = tools.length - lines.length;
  const offer =
    lines.length > 0 ? ['No tool matches that. I can call:', ...lines] : ['No tool is available here.'];
  return [
    ...offer,
    ...(rest > 0 ? [`and ${rest} more.`] : []),
    'To connect a language model, set ANTHROPIC_API_KEY or OPENAI_API_KEY and name one of its models in useModel().',
  ].join('\n');
}
