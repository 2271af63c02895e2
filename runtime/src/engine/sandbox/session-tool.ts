import type { EnvironmentSource, SessionEnv } from '../../ports/sandbox.ts';
import type { SubagentDefinition } from '../subagents/subagent-definition.ts';

/** What `useSandbox()` takes: an environment, and the tools by which a model works in it. */
export interface SandboxFactory extends EnvironmentSource {
  /** replaces the built-in tools (TFAC-01) */
  tools?: SessionToolFactory;
}

/** Called at every boundary, synchronously; gives a new array each time (TFAC-02). */
export type SessionToolFactory = (
  env: SessionEnv,
  options: { subagents: Record<string, SubagentDefinition> },
) => SessionTool[];

/** A tool over an environment. It fails by throwing (TFAC-05). */
export interface SessionTool {
  name: string;
  label?: string;
  description: string;
  /** JSON Schema of the arguments, an object at the top */
  parameters: object;
  execute(
    toolCallId: string,
    // biome-ignore lint/suspicious/noExplicitAny: an adapter's tool knows its own parameters.
    params: any,
    signal?: AbortSignal,
    onUpdate?: (partial: SessionToolResult) => void,
  ): Promise<SessionToolResult>;
}

export interface SessionToolResult {
  content: ({ type: 'text'; text: string } | { type: 'image'; data: string; mimeType: string })[];
  /** for observers, not for the model (BLT-04) */
  details?: unknown;
}
