import type { ModelEvent } from '../../ports/model-gateway.ts';

/** Characters of one delta, fixed so that equal replies stream equally (OFF-03, SCR-02). */
const DELTA_CHARS = 16;

/** One block of a reply with its delta boundaries. */
export type OfflineBlock =
  | { readonly type: 'text' | 'thinking'; readonly deltas: readonly string[] }
  | { readonly type: 'call'; readonly id: string; readonly tool: string; readonly deltas: readonly string[] };

/** Pieces of at most 16 characters; a surrogate pair stays whole, so that every delta is valid text. */
export function deltasOf(text: string): string[] {
  const deltas: string[] = [];
  for (let at = 0; at < text.length; ) {
    let end = Math.min(at + DELTA_CHARS, text.length);
    if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1))) end += 1;
    deltas.push(text.slice(at, end));
    at = end;
  }
  return deltas;
}

/** The delta events of a reply, block after block. A call without arguments shows itself by one empty delta. */
export function* deltaEvents(
  blocks: readonly OfflineBlock[],
): Generator<Exclude<ModelEvent, { type: 'end' }>> {
  for (const [block, content] of blocks.entries()) {
    if (content.type === 'call') {
      const { id, tool } = content;
      for (const delta of content.deltas.length > 0 ? content.deltas : ['']) {
        yield { type: 'call', block, id, tool, delta };
      }
    } else {
      for (const delta of content.deltas) yield { type: content.type, block, delta };
    }
  }
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}
