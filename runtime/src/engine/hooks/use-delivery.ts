import type { DeliveredMessage } from '../../conversation/delivered-message.ts';
import { misuse } from '../../errors/flue-error.ts';
import { claim, frameOf } from './frame.ts';

/** The message that last reached the model: the one that woke the agent, then each that joined (DLV-01). */
export function useDelivery(): DeliveredMessage {
  const frame = frameOf('useDelivery');
  const { delivery } = frame.inputs;
  if (!delivery) throw misuse('useDelivery(): this render has no delivery behind it.');
  claim(frame, 'useDelivery');
  return delivery;
}
