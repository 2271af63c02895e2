import { advanceConversations } from './slices/conversations.ts';
import { advanceCursor } from './slices/cursor.ts';
import { advanceMessages } from './slices/messages.ts';
import { advanceOpenMessage } from './slices/open-message.ts';
import { advanceQueue } from './slices/queue.ts';
import { advanceResources } from './slices/resources.ts';
import { advanceResponse } from './slices/response.ts';
import { advanceToolBatches } from './slices/tool-batches.ts';
import { advanceValues } from './slices/values.ts';
import type { Step } from './step.ts';

/**
 * The order matters where one slice reads another: the first two say what a record completed and closed; messages and
 * cursor ask whether a delivery was placed before the queue says that it is, and whether it is the host's before the
 * response says that it is over.
 */
export const SLICES: readonly ((step: Step) => void)[] = [
  advanceToolBatches,
  advanceConversations,
  advanceMessages,
  advanceValues,
  advanceCursor,
  advanceResources,
  advanceResponse,
  advanceOpenMessage,
  advanceQueue,
];
