import { FlueError } from '../../errors/flue-error.ts';

/** What a factory's `tools` gave cannot be used (TFAC-02). */
export class SandboxToolsError extends FlueError {
  constructor(o: {
    readonly why: string;
    readonly tool?: string;
    readonly field?: string;
    readonly cause?: unknown;
  }) {
    super({
      type: 'sandbox_tools_invalid',
      message: `The tools of the sandbox cannot be used: ${o.why}.`,
      meta: {
        ...(o.tool !== undefined && { tool: o.tool }),
        ...(o.field !== undefined && { field: o.field }),
      },
      ...('cause' in o && { cause: o.cause }),
    });
  }
}
