import { estimateTokens } from '../conversation/fold/entries.ts';
import { overflowsInARow } from '../conversation/fold/evidence.ts';
import { contextTokens, windowOf } from '../conversation/fold/queries.ts';
import type { ModelInfo, ModelMessage } from '../ports/model-gateway.ts';
import type { AttachmentRef } from '../ports/store.ts';
import { shortenResults } from './compaction/fit-messages.ts';
import type { CompactionLimits } from './compaction/limits.ts';
import { type AttachmentData, modelContext } from './model-context.ts';
import type { RenderedFrame } from './render.ts';
import type { Sink } from './sink.ts';
import { toolCharacters } from './tools/tool-digest.ts';

/** What a request is made of, besides the frame. */
export interface RequestParts {
  readonly sink: Sink;
  readonly conv: number;
  /** of a delegate: the system prompt after its instructions. The root's is its baseline */
  readonly prompt?: string;
  readonly model: { readonly info: ModelInfo };
  readonly compaction: { readonly limits: CompactionLimits };
  readonly attachment: AttachmentData;
}

type PromptParts = Pick<RequestParts, 'sink' | 'prompt'>;

/** The instruction document of this render, then what the baseline holds: equal from turn to turn while neither changes. */
export function systemPrompt(parts: PromptParts, frame: RenderedFrame): string {
  const prompt = parts.prompt ?? parts.sink.state.resources?.baseline.record?.prompt;
  return [frame.instructions, prompt].filter(Boolean).join('\n\n');
}

/** Tokens of what a request holds besides the conversation, estimated (CMP-05). */
export function promptTokens(parts: PromptParts, frame: RenderedFrame): number {
  const tools = frame.tools.reduce((sum, tool) => sum + toolCharacters(tool), 0);
  return estimateTokens(systemPrompt(parts, frame).length + tools);
}

/**
 * The conversation as the next request holds it. Where compaction cannot make it fit, since what has to be kept is too
 * large alone, the largest tool results are shortened; `saved` are the tokens that this saves (OVER-04).
 */
export function requestMessages(
  parts: RequestParts,
  frame: RenderedFrame,
): { readonly messages: readonly ModelMessage[]; readonly saved: number } {
  const { state } = parts.sink;
  const messages = modelContext(state, imagesFor(parts.model.info, parts.attachment), {
    conv: parts.conv,
    named: frame.subagents.length > 0,
  });
  const whole = () => contextTokens(state, parts.conv) + promptTokens(parts, frame);
  const limit = limitOf(parts, whole);
  const excess = limit === undefined ? 0 : whole() - limit;
  return excess > 0 ? shortenResults(messages, excess) : { messages, saved: 0 };
}

/** `undefined` while nothing speaks for a request that is too large. */
function limitOf({ sink, conv, compaction }: RequestParts, whole: () => number): number | undefined {
  const { room } = compaction.limits;
  const { summary, overflows } = windowOf(sink.state, conv);
  if (overflowsInARow(sink.state, conv) > 0) {
    // Refused, and no compaction has helped. What the window is said to be was wrong then: each time half must do.
    return Math.min(room ?? Number.POSITIVE_INFINITY, whole() / 2 ** overflows);
  }
  return summary ? room : undefined;
}

/** A model without eyes gets a note in an image's place; the record keeps the image (SPEC-09). */
function imagesFor(info: ModelInfo, attachment: AttachmentData): (ref: AttachmentRef) => string | undefined {
  return info.input.includes('image') ? attachment : () => undefined;
}
