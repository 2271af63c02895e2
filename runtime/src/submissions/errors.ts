import { FlueError } from '../errors/flue-error.ts';

export interface InterruptedTool {
  readonly name: string;
  readonly id: string;
}

type Interrupted = { readonly interruptedTools?: readonly InterruptedTool[] };

function withTools(meta: Record<string, unknown>, o: Interrupted): Record<string, unknown> {
  return o.interruptedTools?.length ? { ...meta, interruptedTools: o.interruptedTools } : meta;
}

/** Every attempt ended before the input reached the model's context; no model was called (REC-08). */
export class SubmissionInterruptedError extends FlueError {
  constructor(o: { readonly attemptCount: number; readonly maxAttempts: number }) {
    super({
      type: 'submission_interrupted',
      message: 'The message was never processed: every attempt was interrupted before it began.',
      details: 'No model was called for it. Send it again.',
      meta: { phase: 'retry_exhausted_before_input', ...o },
    });
  }
}

/** The budget of attempts is spent (BUD-03). */
export class SubmissionRetryExhaustedError extends FlueError {
  constructor(o: Interrupted & { readonly attemptCount: number; readonly maxAttempts: number }) {
    super({
      type: 'submission_retry_exhausted',
      message: `The message was interrupted ${o.attemptCount} times and is not tried again.`,
      details: 'What was recorded stays in the conversation. Send another message to continue it.',
      meta: withTools({ attemptCount: o.attemptCount, maxAttempts: o.maxAttempts }, o),
    });
  }
}

/** The deadline passed (BUD-05, BUD-06). */
export class SubmissionTimeoutError extends FlueError {
  constructor(o: Interrupted & { readonly timeoutMs: number }) {
    super({
      type: 'submission_timeout',
      message: `The message took longer than its ${o.timeoutMs} ms.`,
      details: 'What was recorded stays in the conversation. Send another message to continue it.',
      meta: withTools({ timeoutMs: o.timeoutMs }, o),
    });
  }
}

/** Stopped on request: a distinct outcome, not a failure (ABT-04). */
export class SubmissionAbortedError extends FlueError {
  constructor(o: Interrupted = {}) {
    const meta = withTools({}, o);
    super({
      type: 'submission_aborted',
      message: 'The message was stopped on request.',
      ...(Object.keys(meta).length > 0 && { meta }),
    });
  }
}

/** No live process registers the target agent (QUE-08). */
export class AgentUnavailableError extends FlueError {
  constructor(o: { readonly agent: string }) {
    super({
      type: 'agent_unavailable',
      message: 'No running process serves the agent.',
      details: 'The message waited until its time was up. Send it again once the agent is deployed.',
      dev: `Register ${o.agent} in a process that shares this database, or retire the identity.`,
      meta: { agent: o.agent },
    });
  }
}
