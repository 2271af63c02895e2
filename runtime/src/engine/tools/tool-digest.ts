import { digest } from '../narration.ts';
import { parametersOf } from './json-schema.ts';
import type { MountedTool } from './tool-definition.ts';

interface Serialized {
  readonly length: number;
  readonly digest: string;
  /** of the tool that was last described by this schema */
  tool?: { readonly description: string; readonly digest: string };
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
  const { description } = tool;
  const schema = serialized(tool);
  // Descriptions are as constant as schemas, as a rule, and every turn asks for the digest of every tool.
  if (schema.tool?.description !== description) {
    schema.tool = { description, digest: digest(`${description}\n${schema.digest}`) };
  }
  return schema.tool.digest;
}

/** Characters by which a request tells of the tool. */
export function toolCharacters(tool: MountedTool): number {
  return tool.name.length + tool.description.length + serialized(tool).length;
}
