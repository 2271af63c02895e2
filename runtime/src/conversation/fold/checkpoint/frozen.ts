import type {
  Fault,
  JsonObject,
  JsonValue,
  ModelRef,
  PromptUsage,
  Resources,
  Stop,
} from '../../../ports/model-shapes.ts';
import type { FailingCall, Pending, Response } from '../state.ts';

/**
 * A checkpoint's data: the state by places, without bodies (CKP-04). Rows are tuples because a window may have thousands
 * of them. A change of this form or of what the fold makes of a record takes the next `FOLD_FORMAT`; older checkpoints
 * are then none, and the stream is folded anew.
 */
export const FOLD_FORMAT = 1;

/** Batch and index of a record. */
export type Place = readonly [batch: number, index: number];

export type FrozenEntry =
  | readonly ['user' | 'signal', batch: number, index: number, tokens: number, delivery: string | null]
  | readonly ['result', batch: number, index: number, tokens: number, call: string]
  | readonly [
      'assistant',
      batch: number,
      index: number,
      tokens: number,
      turn: number,
      host: string,
      stop: Stop,
      fault: Fault['class'] | null,
      shown: boolean,
      kept: boolean,
      reported: number | null,
      calls: readonly string[],
    ];

export interface FrozenWindow {
  readonly conv: number;
  readonly turn: number;
  readonly failedTurns: number;
  readonly overflows: number;
  readonly summary?: Place;
  readonly entries: readonly FrozenEntry[];
}

export interface FrozenChild {
  readonly conv: number;
  readonly kind: 'task' | 'harness';
  readonly parent: number;
  readonly call?: string;
  readonly hook?: string;
  readonly agent?: string;
}

export interface FrozenPending extends Omit<Pending, 'held' | 'host' | 'message'> {
  readonly at: Place;
  readonly host?: string;
  readonly message?: 'user' | 'signal';
}

export interface FrozenResponse
  extends Pick<
    Response,
    'host' | 'kind' | 'epoch' | 'attempt' | 'nextPart' | 'cycles' | 'completedSteps' | 'continuing'
  > {
  readonly data: readonly (readonly [name: string, part: number])[];
  readonly metadata?: JsonObject;
  readonly final?: NonNullable<Response['final']>;
  readonly calls: readonly (readonly [tool: string, isError: boolean])[];
  readonly usage?: PromptUsage;
  readonly answer: readonly Place[];
  readonly failingCall?: FailingCall;
}

export interface FrozenCall {
  readonly id: string;
  readonly tool: string;
  readonly outcome?: Place;
  readonly steps: readonly (readonly [name: string, place: Place])[];
  readonly writes: readonly Place[];
}

export interface Frozen {
  readonly head: number;
  /** the head is the owner's own batch, whose offset was not known when this was written */
  readonly prepared: boolean;
  readonly birth?: { readonly uid: string; readonly at: Place };
  readonly opened: number;
  readonly children: readonly FrozenChild[];
  readonly windows: readonly FrozenWindow[];
  readonly settled: number;
  readonly pending: readonly FrozenPending[];
  readonly response?: FrozenResponse;
  readonly open?: {
    readonly turn: number;
    readonly host: string;
    readonly model: ModelRef;
    readonly drafts: readonly number[];
  };
  readonly toolBatches: readonly {
    readonly conv: number;
    readonly turn: number;
    readonly message: Place;
    readonly calls: readonly FrozenCall[];
  }[];
  readonly values: readonly (readonly [name: string, value: JsonValue])[];
  readonly cursor?: Place;
  readonly resources?: { readonly last: Resources; readonly baseline: Place };
}
