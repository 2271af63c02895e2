import { validateSubagent } from '../subagents/define-subagent.ts';
import type { SubagentDefinition } from '../subagents/subagent-definition.ts';
import { claim, frameOf } from './frame.ts';

/**
 * Offers a delegate to the model calls that follow this render; a render that skips it takes it away (MOUNT-02). The
 * model hands it work with the `task` tool and gets its final text back. Takes a `defineSubagent()` result or the same
 * object inline, with the same checks (MOUNT-01).
 *
 * @throws Error for a bad definition, or a name that this render has mounted already
 */
export function useSubagent(subagent: SubagentDefinition): void {
  const frame = frameOf('useSubagent');
  validateSubagent(subagent, 'useSubagent()');
  claim(frame, 'useSubagent', subagent.name);
  frame.subagents.push(subagent);
}
