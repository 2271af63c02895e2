import type { ModelBlock, ModelEnd, ModelEvent } from '../../ports/model-gateway.ts';

export type ModelDelta = Exclude<ModelEvent, ModelEnd>;

type Draft =
  | { type: 'text' | 'thinking'; text: string }
  | { type: 'call'; id: string; tool: string; args: string };

/**
 * A response put together from its deltas. The text of a block is what was streamed, whatever the provider's closing
 * message says, because readers have already seen it (RCD-11, TURN-03).
 */
export class Blocks {
  readonly #drafts = new Map<number, Draft>();

  add(event: ModelDelta): void {
    const draft = this.#drafts.get(event.block);
    if (draft === undefined) {
      this.#drafts.set(
        event.block,
        event.type === 'call'
          ? { type: 'call', id: event.id, tool: event.tool, args: event.delta }
          : { type: event.type, text: event.delta },
      );
    } else if (draft.type === 'call') draft.args += event.delta;
    else draft.text += event.delta;
  }

  /** One block as far as it was streamed. */
  at(block: number): ModelBlock | undefined {
    return this.#drafts.get(block);
  }

  /** Every block at its number. One that never showed anything, such as encrypted thinking, is there without text. */
  all(): ModelBlock[] {
    const count = Math.max(-1, ...this.#drafts.keys()) + 1;
    return Array.from({ length: count }, (_, block) => {
      const draft = this.#drafts.get(block);
      return draft ? { ...draft } : { type: 'thinking', text: '' };
    });
  }
}

/** What a failed or cut response keeps: what came before its first call, since a call in it never runs (RCD-10). */
export function beforeCalls(blocks: readonly ModelBlock[]): ModelBlock[] {
  const firstCall = blocks.findIndex((block) => block.type === 'call');
  return firstCall < 0 ? [...blocks] : blocks.slice(0, firstCall);
}
