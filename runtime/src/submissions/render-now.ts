import { deliveryRecord } from '../conversation/fold/queries.ts';
import { deliveredMessage } from '../engine/delivery.ts';
import type { RenderedFrame } from '../engine/render.ts';
import { equip } from '../engine/subagents/delegate.ts';
import { render, type TurnScope } from '../engine/turn.ts';
import type { StreamWriter } from './stream-writer.ts';

/** The agent as it is now, with the message that it read last, as a model call would offer it. */
export function renderNow({ state }: StreamWriter, scope: TurnScope): RenderedFrame {
  const cursor = deliveryRecord(state);
  return equip(scope, render(scope, cursor && deliveredMessage(cursor, scope.attachment)));
}
