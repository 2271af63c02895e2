import { digest } from '../narration.ts';
import { parametersOf } from './json-schema.ts';
import type { MountedTool } from './tool-definition.ts';

interface Serialized {
  readonly length: number;
  readonly digest: string;
}

const known = new WeakMap<object, Serialized>();

/** Schemas are module constants as a rule, so the work is done once. */
function serialized(tool: Pick<MountedTool, 'input' | 'jsonSchema'>): Serialized {
  const schema = parametersOf(tool);
  let found = known.get(schema);
  if (!found) {
    const text = JSON.stringify(schema);
    found = { length: text.length, digest: digest(text) };
    known.set(schema, found);
  }
  return found;
}

/** What counts as an update of a tool (NARR-13). */
export function toolDigest(tool: Pick<MountedTool, 'description' | 'input' | 'jsonSchema'>): string {
  return digest(`${tool.description}\n${serialized(tool).digest}`);
}

/** Characters by which a request tells of the tool. */
export function toolCharacters(tool: MountedTool): number {
  return tool.name.length + tool.description.length + serialized(tool).length;
}
