import type { RenderedFrame } from '../render.ts';
import type { FlueHarness } from '../tools/tool-definition.ts';

/** A harness in the hands of the call that it was made for. */
export interface HeldHarness {
  readonly harness: FlueHarness;
  /** The call has settled: what still runs is stopped, and later use throws (HARN-03). Resolves when nothing runs. */
  close(): Promise<void>;
}

/** What a harness is opened for: a tool's call, or a callback of a hook. */
export type HarnessOwner = { readonly call: string } | { readonly hook: string };

export type HarnessOpener = (owner: HarnessOwner) => HeldHarness;

/** A render whose tools and hooks can be given a harness. */
export interface HarnessFrame extends RenderedFrame {
  readonly openHarness: HarnessOpener;
}
