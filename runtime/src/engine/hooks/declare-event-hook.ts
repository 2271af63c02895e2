import { misuse } from '../../errors/flue-error.ts';
import type { EventCallbacks, EventHook } from './event-hooks.ts';
import { claim, type Frame, frameOf } from './frame.ts';

/** What the four event hooks share: the callback is kept for its seam, under its place in the order of calls (HOOK-07). */
export function declareEventHook<H extends EventHook>(hook: H, run: EventCallbacks[H]): void {
  const frame: Frame = frameOf(hook);
  if (typeof run !== 'function') throw misuse(`${hook}() takes a function.`, 'FLUE2402');
  claim(frame, hook);
  frame.eventHooks[hook].push(run);
}
