import { LIMITS } from '../../contract/limits.ts';
import { FlueError } from '../../errors/flue-error.ts';

/** A task names an attachment that the conversation does not show; nothing was started (TASK-06). */
export class AttachmentNotAvailableError extends FlueError {
  constructor(attachmentId: string) {
    super({
      type: 'attachment_not_available',
      message: `There is no attachment "${attachmentId}" in this conversation. Use an id that stands behind an image.`,
      meta: { attachmentId },
    });
  }
}

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
