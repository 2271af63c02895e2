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

  /** Text and thinking only, for a response that failed or was cut: a call in it never runs (RCD-10). */
  withoutCalls(): ModelBlock[] {
    return this.all().filter((block) => block.type !== 'call');
  }

  /** In block order; blocks that never got a character are left out. */
  all(): ModelBlock[] {
    return [...this.#drafts]
      .sort(([a], [b]) => a - b)
      .map(([, draft]) => ({ ...draft }))
      .filter((block) => block.type === 'call' || block.text !== '');
  }
}
