import { claim, frameOf } from './frame.ts';

/** What the first contact recorded for this instance, `undefined` without; never changes afterwards (IDATA-01). */
export function useInitialData<T = unknown>(): T {
  const frame = frameOf('useInitialData');
  claim(frame, 'useInitialData');
  return frame.inputs.initialData as T;
}
