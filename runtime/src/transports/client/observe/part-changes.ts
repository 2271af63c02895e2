import type { ConversationMessage, DataPart, ToolPart } from '../../../conversation/projections/chunk.ts';
import { isTool } from '../../../conversation/projections/transcript.ts';

/** A state that a tool call reached, or a write of a data part. */
export type PartChange =
  | { readonly kind: 'tool'; readonly name: string; readonly part: ToolPart; readonly messageId: string }
  | { readonly kind: 'data'; readonly name: string; readonly part: DataPart; readonly messageId: string };

/** Tells each change of tools and data once, however often a message that shows it is looked at (TCLI-11). */
interface PartChanges {
  /** what changed in this message since it was looked at last */
  in(message: ConversationMessage): PartChange[];
}

const DATA = 'data-';

export function partChanges(): PartChanges {
  /** of each message, by place of the part: a tool's state, or the number of writes */
  const known = new Map<string, Map<number, string | number>>();

  return {
    in(message) {
      const { id: messageId } = message;
      const states = known.get(messageId) ?? new Map<number, string | number>();
      known.set(messageId, states);
      return message.parts.flatMap((part, place): PartChange[] => {
        if (isTool(part)) {
          if (states.get(place) === part.state) return [];
          states.set(place, part.state);
          return [{ kind: 'tool', name: part.toolName, part: { ...part }, messageId }];
        }
        if (!isData(part) || states.get(place) === part.writes) return [];
        states.set(place, part.writes);
        return [{ kind: 'data', name: part.type.slice(DATA.length), part: { ...part }, messageId }];
      });
    },
  };
}

function isData(part: ConversationMessage['parts'][number]): part is DataPart {
  return part.type.startsWith(DATA);
}
