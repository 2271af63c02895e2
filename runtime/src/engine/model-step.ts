import type { AssistantMessage } from '../conversation/records/index.ts';
import type { ModelEnd } from '../ports/model-gateway.ts';

/** A model's message, its parts counted from 0: their places are known when it is recorded (see `recordMessage`). */
export type UnplacedMessage = Omit<AssistantMessage, 'v' | 'ts'>;

/** What one model call came to. */
export type ModelStep =
  | {
      readonly kind: 'message';
      readonly message: UnplacedMessage;
      /** what the port told of a failed call besides the recorded fault */
      readonly end: Pick<ModelEnd, 'cause' | 'envVar' | 'retryAfterMs' | 'usage' | 'fault'>;
    }
  /** the signal ended it; what was drafted is closed by the settlement */
  | {
      readonly kind: 'aborted';
      /** what a child's model had said, which its owner may keep */
      readonly message: UnplacedMessage;
    };
