import { RESERVED_TOOLS } from '../../contract/names.ts';
import { validateTool } from '../tools/define-tool.ts';
import { ToolNameConflictError } from '../tools/errors.ts';
import type { ToolDefinition, ToolInputSchema, ToolOutputSchema } from '../tools/tool-definition.ts';
import { claim, frameOf } from './frame.ts';

/**
 * Mounts a tool for the model calls that follow this render; a render that skips it takes it away (MOUNT-02). Takes a
 * `defineTool()` result or the same object inline, with the same checks (MOUNT-01).
 *
 * @throws ToolNameConflictError for a reserved name, or one that this render has mounted already (MOUNT-03)
 */
export function useTool<
  I extends ToolInputSchema | undefined = undefined,
  O extends ToolOutputSchema | undefined = undefined,
  H extends boolean = false,
  D extends boolean = false,
>(tool: ToolDefinition<I, O, H, D>): void {
  const frame = frameOf('useTool');
  validateTool(tool, 'useTool()');
  if ((RESERVED_TOOLS as readonly string[]).includes(tool.name)) {
    throw new ToolNameConflictError({ name: tool.name, conflict: 'reserved', source: 'custom' });
  }
  claim(frame, 'useTool', tool.name);
  frame.tools.push(tool);
}
