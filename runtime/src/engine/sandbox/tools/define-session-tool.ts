import * as v from 'valibot';
import { ToolInputValidationError, toolIssues } from '../../tools/errors.ts';
import { toolInputJsonSchema } from '../../tools/json-schema.ts';
import type { ToolInputSchema } from '../../tools/tool-definition.ts';
import type { SessionTool } from '../session-tool.ts';

export interface ToolAnswer {
  readonly text: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/** A built-in tool: its arguments are judged before anything runs (TFAC-07), its signal before it starts (BLT-02). */
export function defineSessionTool<S extends ToolInputSchema>(tool: {
  readonly name: string;
  readonly label: string;
  readonly description: string;
  readonly input: S;
  run(args: v.InferOutput<S>, signal: AbortSignal | undefined): Promise<ToolAnswer>;
}): SessionTool {
  const { name, label, description, input } = tool;
  const made: SessionTool = {
    name,
    label,
    description,
    parameters: toolInputJsonSchema(input),
    async execute(_toolCallId, params, signal) {
      const parsed = v.safeParse(input, params ?? {});
      if (!parsed.success) {
        throw new ToolInputValidationError({ tool: name, issues: toolIssues(parsed.issues) });
      }
      signal?.throwIfAborted();
      const { text, details } = await tool.run(parsed.output, signal);
      return { content: [{ type: 'text', text }], details };
    },
  };
  inputs.set(made, input);
  return made;
}

const inputs = new WeakMap<SessionTool, ToolInputSchema>();

/** The schema of a built-in tool, by which a call is judged before it counts as one. */
export function inputOf(tool: SessionTool): ToolInputSchema | undefined {
  return inputs.get(tool);
}

const NUL = 0;
const BINARY_PROBE_BYTES = 8 * 1024;

/** A NUL in its first 8 KB tells a file that is no text (TRD-06). */
export function isBinary(bytes: Uint8Array): boolean {
  return bytes.subarray(0, BINARY_PROBE_BYTES).includes(NUL);
}

export function pathArgument(description: string) {
  return v.pipe(v.string(), v.nonEmpty(), v.description(description));
}
