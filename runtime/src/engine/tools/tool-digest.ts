import { digest } from '../narration.ts';
import { toolParameters } from './json-schema.ts';
import type { ToolDefinition } from './tool-definition.ts';

interface Serialized {
  readonly length: number;
  readonly digest: string;
}

const known = new WeakMap<object, Serialized>();

/** Schemas are module constants as a rule, so the work is done once. */
function serialized(input: ToolDefinition['input']): Serialized {
  const schema = toolParameters(input);
  let found = known.get(schema);
  if (!found) {
    const text = JSON.stringify(schema);
    found = { length: text.length, digest: digest(text) };
    known.set(schema, found);
  }
  return found;
}

/** What counts as an update of a tool (NARR-13). */
export function toolDigest({ description, input }: Pick<ToolDefinition, 'description' | 'input'>): string {
  return digest(`${description}\n${serialized(input).digest}`);
}

/** Characters by which a request tells of the tool. */
export function toolCharacters({ name, description, input }: ToolDefinition): number {
  return name.length + description.length + serialized(input).length;
}
