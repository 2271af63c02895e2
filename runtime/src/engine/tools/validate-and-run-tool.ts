import { misuse } from '../../errors/flue-error.ts';
import { createLogger } from '../logger.ts';
import { validateTool } from './define-tool.ts';
import { executeTool, parseToolArguments } from './run-call.ts';
import type { ToolDefinition, ToolInput, ToolOutput } from './tool-definition.ts';

/**
 * Runs a tool outside any agent, with the validation of a real call, and resolves with the JSON snapshot of its output
 * (TOOL-11). `toolCallId` is made up and `log` does nothing.
 *
 * @throws Error for a harness tool, which runs inside an agent only; ToolInputValidationError, ToolOutputValidationError, ToolOutputSerializationError; what `run` throws; the
 *   reason of `signal`; a `TimeoutError` at `timeoutMs`
 */
export async function validateAndRunTool<T extends ToolDefinition>(
  tool: T,
  data?: ToolInput<T>,
  signal: AbortSignal = new AbortController().signal,
): Promise<ToolOutput<T>> {
  validateTool(tool, 'validateAndRunTool()');
  if (tool.harness) {
    throw misuse(
      `validateAndRunTool(): the tool "${tool.name}" needs a harness, and there is none outside an agent. Test it in an ` +
        'agent, with the script model.',
    );
  }
  const parsed = parseToolArguments(tool, data);
  if (!parsed.ok) throw parsed.error;
  const output = await executeTool({
    tool,
    data: parsed.data,
    toolCallId: `standalone_${globalThis.crypto.randomUUID()}`,
    signal,
    log: createLogger(() => {}, {}),
    timer: startTimer,
  });
  return output as ToolOutput<T>;
}

/** There is no runtime here whose clock could be asked. */
function startTimer(ms: number, fn: () => void): () => void {
  const handle = setTimeout(fn, ms);
  return () => clearTimeout(handle);
}
