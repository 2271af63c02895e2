import { init, useModel } from '@flue/runtime';
import { type ScriptModel, scriptModel } from '@flue/runtime/testing';

/*
 * A conversation that is compacted three times: the answer to the first message fills the window, so that the second is
 * compacted by threshold; the third overflows once; then somebody asks for it. What the model says follows from the
 * request alone, so a process that takes over plays the same run to its end.
 */

export function Keeper() {
  useModel('offline/script', { compaction: { reserveTokens: 1000, keepRecentTokens: 0 } });
  return 'Keep what matters.';
}

const keeper = () => init(Keeper, { id: '1' });

/** Again is safe: the text is its own idempotency key. */
export function ask(text: 'first' | 'second' | 'third' | 'last') {
  return keeper().dispatch({ message: text, idempotencyKey: text });
}

/** The run, as far as it has not been done. */
export async function playThrough(): Promise<void> {
  for (const text of ['first', 'second', 'third'] as const) await ask(text);
  await keeper().compact();
}

export function playKeeper(): ScriptModel {
  return scriptModel({
    model: { contextWindow: 10_000, maxTokens: 1000 },
    steps({ messages, options }) {
      if (options.purpose !== 'agent') return { text: 'What matters.' };
      const newest = messages.at(-1);
      const text =
        newest?.role === 'user' ? newest.content.map((part) => 'text' in part && part.text).join('') : '';
      if (text === 'third' && messages.length > 2) {
        return { error: { message: 'prompt is too long: 11000 tokens > 10000 maximum', transient: false } };
      }
      return { text: `Heard ${text}.`, ...(text === 'first' && { usage: { totalTokens: 9500 } }) };
    },
  });
}
