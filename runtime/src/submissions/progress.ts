import type { LogChunk } from '../conversation/projections/chunk.ts';
import { conversationId } from '../conversation/records/index.ts';
import type { LogLine } from '../engine/logger.ts';
import type { AttemptContext } from './attempt-context.ts';
import type { StreamWriter } from './stream-writer.ts';

/** A line of the agent's own code: for observers, and for those who read the conversation live (RCD-14). */
export function tellProgress(
  { ports, claim, events, trace }: AttemptContext,
  { state }: StreamWriter,
  line: LogLine,
): void {
  trace.log(line);
  ports.tellLine(claim.path, state.tail.head, () =>
    logChunk(conversationId(state.incarnation), events.scrubbed(line)),
  );
}

/** Where the line comes from stands beside its attributes. */
function logChunk(conversation: string, { level, message, attributes }: LogLine): LogChunk {
  const { toolCallId, hook, ...rest } = attributes;
  return {
    type: 'log',
    conversationId: conversation,
    ...(typeof toolCallId === 'string' && { toolCallId }),
    ...(typeof hook === 'string' && { hook }),
    level,
    message,
    ...(Object.keys(rest).length > 0 && { attributes: rest }),
  };
}
