import { Worker } from 'node:worker_threads';
import type { SearchPattern } from './pattern.ts';

export interface LineMatch {
  /** from 1 */
  readonly line: number;
  readonly text: string;
}

/** What a file holds of the pattern: the first matches, and how many there are. */
export interface FileMatches {
  readonly shown: readonly LineMatch[];
  readonly count: number;
}

export interface LineMatcher {
  /** Rejects with a `TimeoutError` when the time is over. */
  match(text: string, most: number): Promise<FileMatches>;
  end(): Promise<void>;
}

/** Plain JavaScript: it runs in a worker of its own, for which there is no file in a bundle. */
const SOURCE = `
const { parentPort, workerData } = require('node:worker_threads');
const pattern = new RegExp(workerData.source, workerData.flags);
parentPort.on('message', ({ text, most }) => {
  const shown = [];
  let count = 0;
  const lines = text.split('\\n');
  if (lines[lines.length - 1] === '') lines.pop();
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index].endsWith('\\r') ? lines[index].slice(0, -1) : lines[index];
    if (!pattern.test(line)) continue;
    count += 1;
    if (shown.length < most) shown.push({ line: index + 1, text: line });
  }
  parentPort.postMessage({ shown, count });
});
`;

/**
 * Matches in a thread of its own, so that a pattern which runs away costs its search and stalls nobody (SRCH-01).
 *
 * @param deadline of the whole search, as `performance.now()` counts
 */
export function openLineMatcher(pattern: SearchPattern, deadline: number): LineMatcher {
  const worker = new Worker(SOURCE, { eval: true, workerData: pattern, env: {} });
  worker.unref();
  let last: Promise<unknown> = Promise.resolve();
  return {
    match(text, most) {
      const turn = last.then(() => ask(worker, { text, most }, deadline));
      last = turn.catch(() => {});
      return turn;
    },
    end: async () => {
      await worker.terminate();
    },
  };
}

function ask(worker: Worker, message: object, deadline: number): Promise<FileMatches> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => settle(() => reject(new DOMException('The search took too long.', 'TimeoutError'))),
      Math.max(0, deadline - performance.now()),
    );
    const answer = (found: FileMatches) => settle(() => resolve(found));
    const fail = (error: Error) => settle(() => reject(error));
    const settle = (how: () => void) => {
      clearTimeout(timer);
      worker.off('message', answer);
      worker.off('error', fail);
      how();
    };
    worker.on('message', answer);
    worker.on('error', fail);
    worker.postMessage(message);
  });
}
