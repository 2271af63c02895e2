import { LIMITS } from '../../contract/limits.ts';
import { FlueError } from '../../errors/flue-error.ts';

/** Tasks and harness invocations are nested too deeply (DEPTH-01); nothing was recorded. */
export class DelegationDepthExceededError extends FlueError {
  constructor() {
    const maxDepth = LIMITS.delegationDepth;
    super({
      type: 'delegation_depth_exceeded',
      message: `Tasks can be nested ${maxDepth} deep; this one would be deeper. Do the work here instead.`,
      meta: { maxDepth },
    });
  }
}
