import type { Clock } from '../ports/clock.ts';
import type { ModelBlock, ModelEnd, ModelEvent } from '../ports/model-gateway.ts';
import type { AssistantPart, CallPart } from '../ports/model-shapes.ts';

/** Text of a message that is not complete yet, as one delta record holds it (RCD-24). */
export interface Draft {
  /** place among the message's parts, from 0 */
  readonly part: number;
  /** UTF-16 length already there */
  readonly at: number;
  readonly kind: 'text' | 'thinking';
  readonly delta: string;
}

export interface StreamedMessage {
  readonly end: ModelEnd;
  readonly content: AssistantPart[];
}

/** How long streamed text may wait for more before it is handed on (STR-08). */
const COALESCE_MS = 50;

/**
 * Reads one model call to its end. Text and thinking are handed to `draft` while they arrive, coalesced for at most
 * 50 ms and at a block's end not at all; drafting stops at the first tool call, since what follows it comes with the
 * completed message (RCD-10). Parts are counted within the message.
 */
export async function streamMessage(
  events: AsyncIterable<ModelEvent>,
  o: {
    readonly clock: Clock;
    /** absent where nothing is shown before the message is complete */
    readonly draft?: (drafts: readonly Draft[]) => void;
    /** whether a call's arguments pass the schema of the tool that this turn mounted (HIST-10) */
    readonly valid: (tool: string, args: string) => boolean;
  },
): Promise<StreamedMessage> {
  const blocks = new Map<number, Shown>();
  let nextPart = 0;
  let pending: Draft[] = [];
  let drafting = o.draft !== undefined;
  let open: Shown | undefined;
  let cancel = () => {};

  const show = (block: number): Shown => {
    let shown = blocks.get(block);
    if (!shown) {
      shown = { part: nextPart++, text: '', drafted: 0 };
      blocks.set(block, shown);
    }
    return shown;
  };
  const flush = () => {
    cancel();
    cancel = () => {};
    if (pending.length === 0) return;
    const drafts = pending;
    pending = [];
    o.draft?.(drafts);
  };
  const schedule = (ms: number) => {
    cancel();
    cancel = o.clock.timer(ms, flush);
  };

  try {
    return await readToEnd();
  } finally {
    cancel();
  }

  async function readToEnd(): Promise<StreamedMessage> {
    for await (const event of events) {
      if (event.type === 'end') {
        return { end: event, content: contentOf(event.content, blocks, () => nextPart++, o.valid) };
      }
      take(event);
    }
    throw new Error('[flue] a model stream ended without its end event.');
  }

  function take(event: Exclude<ModelEvent, ModelEnd>): void {
    if (event.delta === '' && event.type !== 'call') return;
    const shown = show(event.block);
    shown.text += event.delta;
    if (event.type === 'call') {
      drafting = false;
      if (pending.length > 0) schedule(0);
      return;
    }
    if (!drafting) return;
    // A timer of 0 rather than a call: a message that ends within the same turn of the event loop drafts nothing.
    if (open && open !== shown && pending.length > 0) schedule(0);
    else if (pending.length === 0) schedule(COALESCE_MS);
    append(pending, { part: shown.part, at: shown.drafted, kind: event.type, delta: event.delta });
    shown.drafted += event.delta.length;
    open = shown;
  }
}

interface Shown {
  readonly part: number;
  text: string;
  /** UTF-16 length handed to `draft` */
  drafted: number;
}

function append(pending: Draft[], next: Draft): void {
  const last = pending.at(-1);
  if (last && last.part === next.part)
    pending[pending.length - 1] = { ...last, delta: last.delta + next.delta };
  else pending.push(next);
}

/** Where the provider's final text contradicts what was shown, the shown text stands (RCD-11). */
function contentOf(
  final: readonly ModelBlock[],
  shown: ReadonlyMap<number, Shown>,
  freePart: () => number,
  valid: (tool: string, args: string) => boolean,
): AssistantPart[] {
  return final.map((block, index): AssistantPart => {
    const at = shown.get(index);
    if (block.type === 'call') {
      const call: Omit<CallPart, 'part' | 'valid'> = block;
      return { valid: valid(call.tool, call.args), part: at?.part ?? freePart(), ...call };
    }
    const text = at && !block.text.startsWith(at.text.slice(0, at.drafted)) ? at.text : block.text;
    if (text === '') return { ...block, text };
    return { ...block, text, part: at?.part ?? freePart() };
  });
}
