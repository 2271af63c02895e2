import type { RuleCode } from '../contract/codes.ts';
import { FlueHttpError } from './flue-error.ts';

/** The shape in which Standard Schema validators report a fault (CLS-01). */
export interface ValidationIssue {
  readonly message: string;
  readonly path?: readonly PropertyKey[];
}

/**
 * A malformed send, message, condition, parameter or creation data: 400. `field` is the caller's own name for the
 * offender (`message.attachments[0].data`, `offset`), `rule` a verb phrase about it (`must be a string`).
 */
export class InvalidRequestError extends FlueHttpError {
  constructor(o: {
    readonly field: string;
    readonly rule: string;
    /** of creation data; listed in `details` and `meta.issues` */
    readonly issues?: readonly ValidationIssue[];
    /** the compiler rule that finds this fault ahead of time (ERR-12) */
    readonly code?: RuleCode;
    readonly dev?: string;
    readonly cause?: unknown;
  }) {
    const issues = o.issues?.map(wireIssue);
    const meta = { ...(issues && { issues }), ...(o.code && { rule: o.code }) };
    super({
      type: 'invalid_request',
      status: 400,
      message: 'The request is malformed.',
      details: [`${o.field} ${o.rule}.`, ...(issues ?? []).map(describeIssue)].join('\n'),
      ...(o.dev !== undefined && { dev: o.dev }),
      ...(Object.keys(meta).length > 0 && { meta }),
      ...(o.cause !== undefined && { cause: o.cause }),
    });
  }
}

type WireIssue = { message: string; path?: (string | number)[] };

function wireIssue(issue: ValidationIssue): WireIssue {
  const path = issue.path?.map((key) => (typeof key === 'symbol' ? String(key) : key));
  return { message: issue.message, ...(path && path.length > 0 && { path }) };
}

function describeIssue(issue: WireIssue): string {
  return `- ${issue.path?.join('.') ?? 'value'}: ${issue.message}`;
}
