import type { DeliveredMessageInput } from '../../conversation/delivered-message.ts';
import type { DispatchReceipt } from '../dispatch-receipt.ts';
import { assertWritable, claim, frameOf } from './frame.ts';

/**
 * A sender to this very instance: the same queue, validation and receipt as `dispatch()` (DMSG-01). While the instance
 * is busy the message joins at the next boundary, else it wakes a response (DMSG-02). Awaiting the sender awaits
 * admission only (DMSG-04), and each call is a delivery of its own, also in a callback that runs again (DMSG-03).
 *
 * It throws at the call during a render, and rejects as `dispatch()` does for a malformed message or a missing runtime.
 */
export function useDispatchMessage(): (message: DeliveredMessageInput) => Promise<DispatchReceipt> {
  const frame = frameOf('useDispatchMessage');
  claim(frame, 'useDispatchMessage');
  // Not an async function: what is wrong with the place of the call is thrown there, awaited or not.
  return (message) => {
    assertWritable(frame, 'The dispatcher of useDispatchMessage()');
    return frame.inputs.dispatch(message);
  };
}
