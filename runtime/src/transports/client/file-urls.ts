import type { ConversationMessage } from '../../conversation/projections/chunk.ts';

/** Gives the files of a message the URLs that the server leaves to its clients (HIST-09). Changes the message itself. */
export function locateFiles(
  { parts }: ConversationMessage,
  locate: (id: string) => string | undefined,
): void {
  for (const part of parts) {
    const url = part.type === 'file' && 'id' in part && part.id !== undefined ? locate(part.id) : undefined;
    if (url !== undefined) Object.assign(part, { url });
  }
}
