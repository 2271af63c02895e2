import { FlueError } from '../../errors/flue-error.ts';
import type { PromptUsage } from '../../ports/model-shapes.ts';
import type { ToolIssue } from '../tools/errors.ts';
import type { PromptModel } from './prompt-response.ts';

/** A harness was used after the call that had received it was over (HARN-03). */
export class HarnessClosedError extends FlueError {
  constructor(o: { readonly member: string; readonly owner: string }) {
    super({
      type: 'harness_closed',
      message: `harness.${o.member} was used after its ${o.owner} had settled.`,
      dev: 'A harness lives as long as the call that received it: await what you start on it before you return.',
    });
  }
}

/** An operation runs on the harness already; it is not affected (HARN-06). */
export class SessionBusyError extends FlueError {
  constructor() {
    super({
      type: 'session_busy',
      message: 'An operation is running on this harness. It takes one at a time.',
      dev: 'Await the former prompt() or compact() first. What has to run at the same time can be delegated as tasks.',
    });
  }
}

/**
 * The model gave up on a structured result, or used up its tries (RES-07). A plain `Error`: it tells of the work that
 * was asked for, and not of a fault.
 */
export class ResultUnavailableError extends Error {
  override readonly name = 'ResultUnavailableError';
  /** the model's own words, or which limit was reached */
  readonly reason: string;
  /** the last text of the model in this operation, `''` without any */
  readonly assistantText: string;
  readonly usage: PromptUsage;
  readonly model: PromptModel;
  /** what was wrong with the last `finish` call, where a limit was reached */
  declare readonly issues?: readonly ToolIssue[];

  constructor(o: {
    readonly reason: string;
    readonly assistantText: string;
    readonly usage: PromptUsage;
    readonly model: PromptModel;
    readonly issues?: readonly ToolIssue[] | undefined;
  }) {
    super(`The model returned no result: ${o.reason}`);
    this.reason = o.reason;
    this.assistantText = o.assistantText;
    this.usage = o.usage;
    this.model = o.model;
    if (o.issues) this.issues = o.issues;
  }
}
