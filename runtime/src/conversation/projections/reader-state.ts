import { openResponse, type ResponseSlice } from './response.ts';

/** Where a reader stands, and what it knows of what it passed. */
export interface ReaderState {
  readonly stream: { readonly conversationId: string; readonly incarnation: string };
  /** last batch that the reader was sent */
  after: number;
  /** a draft of the message under way is missing, so the message is sent whole (RCD-82) */
  gap: boolean;
  /** the response under way, once one of its records was met */
  response?: ResponseSlice;
  /** when each unsettled submission was accepted, as far as it is known */
  readonly accepted: Map<string, string>;
}

export function readerAt(stream: ReaderState['stream'], after: number): ReaderState {
  return { stream, after, gap: false, accepted: new Map() };
}

/** The slice of `host`; a response that the reader has not met before begins now. */
export function responseOf(state: ReaderState, host: string): ResponseSlice {
  if (state.response?.host !== host) state.response = openResponse(host);
  return state.response;
}

/** A request for a compaction is no submission on the wire: no `pending`, no chunk, no reply (RCD-45). */
export function isCompactionRequest(submissionId: string): boolean {
  return submissionId.startsWith('cmp_');
}
