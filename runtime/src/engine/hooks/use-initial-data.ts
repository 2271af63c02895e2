import { claim, frameOf } from './frame.ts';

/**
 * What the first contact recorded for this instance, `undefined` without; never changes afterwards (IDATA-01). A
 * delegate has no instance of its own and reads `undefined` (IDATA-02).
 */
export function useInitialData<T = unknown>(): T {
  const frame = frameOf('useInitialData');
  claim(frame, 'useInitialData');
  return (frame.kind === 'subagent' ? undefined : frame.inputs.initialData) as T;
}
