import { canonicalJson, type Manifest } from '../../contract/manifest.ts';
import type { LogLine } from '../logger.ts';
import { digest } from '../narration.ts';
import { toolInputJsonSchema } from './json-schema.ts';
import type { MountedTool } from './tool-definition.ts';

/** What a runtime tells about schemas that the compiler read otherwise than they are, each once. */
export interface SchemaNotes {
  /** Lines about the tools of a render. */
  mounted(identity: string, tools: readonly Pick<MountedTool, 'name' | 'input'>[]): readonly LogLine[];
}

/** Compares real schemas with the static slots of a manifest (EVALS-05): for development, since it takes time. */
export function createSchemaNotes({ agents }: Pick<Manifest, 'agents'>): SchemaNotes {
  const described = new Map(agents.map((agent) => [agent.identity, digestsByTool(agent.tools)]));
  const compared = new Set<string>();

  return {
    mounted(identity, tools) {
      const lines: LogLine[] = [];
      for (const { name, input } of tools) {
        const read = described.get(identity)?.get(name);
        if (!read || !input) continue;
        const real = digestOf(toolInputJsonSchema(input));
        const key = `${identity} ${name} ${real}`;
        if (read.has(real) || compared.has(key)) continue;
        compared.add(key);
        lines.push({
          level: 'warn',
          message: `[flue:manifest] The input of tool "${name}" is not what the compiler read of it. Run "flue generate" again; where that changes nothing, this is a fault of the compiler.`,
          attributes: { agent: identity, tool: name, real, manifest: [...read].join(', ') },
        });
      }
      return lines;
    },
  };
}

/** Several tools of one name, on paths that exclude each other, may be any of them; one that is dynamic may be anything. */
function digestsByTool(tools: Manifest['agents'][number]['tools']): ReadonlyMap<string, ReadonlySet<string>> {
  const digests = new Map<string, Set<string>>();
  const dynamic = new Set<string>();
  for (const tool of tools) {
    if (!('name' in tool) || typeof tool.name !== 'string') continue;
    if (tool.input && 'schema' in tool.input) {
      digests.set(tool.name, (digests.get(tool.name) ?? new Set()).add(digestOf(tool.input.schema)));
    } else dynamic.add(tool.name);
  }
  for (const name of dynamic) digests.delete(name);
  return digests;
}

function digestOf(schema: object): string {
  return digest(canonicalJson(schema));
}
