/**
 * Ids are derived from where a record stands, never stored (RCD-03): two writers cannot disagree about one. `batch` is
 * the offset's second component, `index` the place in the batch, `conv` a child's ordinal (0 or absent: the root).
 */

export function recordId(batch: number, index: number): string {
  return `rec_${batch}_${index}`;
}

/** `incarnation` is `inc_<ulid>` (STR-05). */
export function conversationId(incarnation: string, conv?: number): string {
  const root = `conv_${incarnation.replace(/^inc_/, '')}`;
  return conv ? `${root}.${conv}` : root;
}

/** The message that a delivery brought. */
export function messageId(submissionId: string): string {
  return `msg_${submissionId}`;
}

/** Any other signal, prompt or compaction. */
export function placedMessageId(batch: number, index: number): string {
  return `msg_${batch}_${index}`;
}

/** The message that answers: one for the whole response (HIST-03). */
export function responseId(host: string): string {
  return `res_${host}`;
}

/** A model call, and the assistant entry that it left. `within` is a response id in the root, else a conversation id. */
export function turnId(
  turn: number,
  within: { host: string } | { incarnation: string; conv: number },
): string {
  return 'host' in within
    ? `${responseId(within.host)}.${turn}`
    : `${conversationId(within.incarnation, within.conv)}.t${turn}`;
}

/** An attachment that no delivery brought. `digest` is the hex of SHA-256 over conversation id, MIME type and bytes. */
export function attachmentId(digest: string): string {
  return `att_${digest.slice(0, 32)}`;
}
