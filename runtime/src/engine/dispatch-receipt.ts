/** What a send that does not wait for an answer gets back, once its message is durable (DSP-08). */
export interface DispatchReceipt {
  /** id of this delivery: its `submissionId` (DSP-09) */
  dispatchId: string;
  /** ISO 8601, when admission began */
  acceptedAt: string;
  /** of the incarnation contacted; always present */
  uid?: string;
  deduplicated?: true;
}
