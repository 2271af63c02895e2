import { estimateTokens } from '../../conversation/fold/entries.ts';
import type { ModelMessage } from '../../ports/model-gateway.ts';
import { shorten } from './shorten.ts';

/** Characters that stay of a shortened tool result at each end (OVER-04). */
const KEPT = 1_000;

type ToolMessage = Extract<ModelMessage, { role: 'tool' }>;

/**
 * The messages with their largest tool results shortened, one after the other, until `excess` tokens are saved or none
 * is left that can be (OVER-04). The records keep the full text.
 */
export function shortenResults(
  messages: readonly ModelMessage[],
  excess: number,
): { readonly messages: readonly ModelMessage[]; readonly saved: number } {
  const largest = messages
    .flatMap((message, place) =>
      message.role === 'tool' ? [{ message, place, length: lengthOf(message) }] : [],
    )
    .sort((a, b) => b.length - a.length || a.place - b.place);
  const fitted = [...messages];
  let saved = 0;
  for (const { message, place, length } of largest) {
    if (saved >= excess) break;
    const shorter = shortened(message);
    const gain = estimateTokens(length) - estimateTokens(lengthOf(shorter));
    if (gain <= 0) continue;
    fitted[place] = shorter;
    saved += gain;
  }
  return { messages: fitted, saved };
}

function lengthOf({ content }: ToolMessage): number {
  return content.reduce((sum, part) => sum + (part.type === 'text' ? part.text.length : 0), 0);
}

function shortened(message: ToolMessage): ToolMessage {
  const content = message.content.map((part) =>
    part.type === 'text' ? { ...part, text: shorten(part.text, KEPT) } : part,
  );
  return { ...message, content };
}
