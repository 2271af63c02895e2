import { deliveryRecord } from '../conversation/fold/queries.ts';
import { deliveredMessage } from '../engine/delivery.ts';
import type { HarnessFrame } from '../engine/harness/held-harness.ts';
import type { RenderedFrame } from '../engine/render.ts';
import { equip } from '../engine/subagents/delegate.ts';
import { render } from '../engine/turn-frame.ts';
import type { TurnScope } from '../engine/turn-scope.ts';
import type { StreamWriter } from './stream-writer.ts';

/** The agent as it is now, with the message that it read last, as a model call would offer it. */
export function renderNow(writer: StreamWriter, scope: TurnScope): HarnessFrame {
  return equip(scope, renderBare(writer, scope));
}

/** The same without what the framework and the environment add, which may not be the one that it asks for. */
export function renderBare({ state }: StreamWriter, scope: TurnScope): RenderedFrame {
  const cursor = deliveryRecord(state);
  return render(scope, cursor && deliveredMessage(cursor, scope.attachment));
}
