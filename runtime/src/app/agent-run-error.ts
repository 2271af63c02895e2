/**
 * The rejection of an awaited send or read whose submission settled `failed` or `aborted` (HND-08). `cause` is the
 * settlement's failure, rebuilt as the error class that owns its type (HND-19).
 */
export class AgentRunError extends Error {
  readonly outcome: 'failed' | 'aborted';
  readonly submissionId: string;

  constructor(o: {
    readonly outcome: 'failed' | 'aborted';
    readonly submissionId: string;
    readonly cause?: unknown;
  }) {
    const why = o.cause instanceof Error ? `: ${o.cause.message}` : '.';
    super(
      `The submission ${o.outcome === 'failed' ? 'failed' : 'was aborted'}${why}`,
      'cause' in o ? { cause: o.cause } : {},
    );
    this.name = 'AgentRunError';
    this.outcome = o.outcome;
    this.submissionId = o.submissionId;
  }
}
