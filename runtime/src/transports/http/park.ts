import type { LiveReaders } from '../../app/reader-live.ts';
import { ClientGoneError } from './request.ts';

/**
 * Holds one request open while `wait` waits. `undefined` when the runtime stops meanwhile, so that it is answered at
 * once with what there is (LIVE-06). A client that leaves releases everything at once (UPD-03).
 */
export async function park<T>(
  request: Request,
  readers: LiveReaders,
  path: string,
  wait: (signal: AbortSignal) => Promise<T>,
): Promise<T | undefined> {
  const parked = new AbortController();
  let closing = false;
  const end = () => parked.abort();
  const reader = readers.enter(path, () => {
    closing = true;
    end();
  });
  request.signal.addEventListener('abort', end, { once: true });
  if (request.signal.aborted) end();
  try {
    return await wait(parked.signal);
  } catch (error) {
    if (request.signal.aborted) throw new ClientGoneError('the reader left');
    if (closing) return undefined;
    throw error;
  } finally {
    request.signal.removeEventListener('abort', end);
    reader.leave();
  }
}
