import type { AssistantMessage } from '@earendil-works/pi-ai';
import { isContextOverflow } from '@earendil-works/pi-ai/utils/overflow';
import { isRetryableAssistantError } from '@earendil-works/pi-ai/utils/retry';
import type { Fault } from '../../ports/model-shapes.ts';

/** What the transport saw of a failed request, where it could be watched. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Headers;
}

const LONGEST_MESSAGE = 4_000;

/** Markers in provider messages, for classification only (CLS-05). */
const MARKERS = /\s*\((?:request_too_large|retryable_interruption)\)/g;

/**
 * Classifies a failed response, overflow before transience (OVER-01, RETRY-01). `text` is the provider's error text,
 * already redacted.
 */
export function faultOf(
  message: AssistantMessage,
  o: { readonly text: string; readonly contextWindow: number; readonly response: HttpResponse | undefined },
): Fault {
  const status = statusOf(message, o.response);
  const fault = (kind: Fault['class'], reason?: string): Fault => ({
    class: kind,
    message: o.text.replace(MARKERS, '').slice(0, LONGEST_MESSAGE),
    ...(reason !== undefined && { reason }),
    ...(status !== undefined && { status }),
  });
  const failed: AssistantMessage = { ...message, stopReason: 'error' };
  if (status === 413 || isContextOverflow(failed, o.contextWindow))
    return fault('overflow', 'context_overflow');
  if (status === 401 || status === 403) return fault('terminal', 'auth');
  return fault(isTransient(failed, status) ? 'transient' : 'terminal');
}

/** A response that came back as a success and is none: its input did not fit (OVER-01). */
export function isSilentOverflow(message: AssistantMessage, contextWindow: number): boolean {
  return message.stopReason !== 'error' && isContextOverflow(message, contextWindow);
}

/** Whether a provider's error text is known to mean that the input did not fit (OVER-01). */
export function isOverflowText(errorMessage: string): boolean {
  return isContextOverflow({ stopReason: 'error', errorMessage } as AssistantMessage, 0);
}

function isTransient(message: AssistantMessage, status: number | undefined): boolean {
  const text = message.errorMessage ?? '';
  // An invalid request stays invalid, whatever its status and whatever number its text mentions.
  if (text.includes('invalid_request')) return false;
  if (text.includes('(retryable_interruption)')) return true;
  if (isRetryableAssistantError(message)) return true;
  const isRetryableStatus = status !== undefined && (status === 408 || status === 429 || status >= 500);
  // The library knows no status beside the text; adding one asks it whether the text names a quota or billing limit.
  return isRetryableStatus && isRetryableAssistantError({ ...message, errorMessage: `${text} (503)` });
}

/** The status of a failed request; a stream that fails after a 200 has none. */
function statusOf(message: AssistantMessage, response: HttpResponse | undefined): number | undefined {
  if (response) return response.status >= 400 ? response.status : undefined;
  const text = message.errorMessage?.match(/^(?:[\w .-]+\()?([45]\d\d)(?!\d)/)?.[1];
  return text === undefined ? undefined : Number(text);
}

/** The least wait that the server asked for, in milliseconds (RETRY-04). */
export function retryAfterMs(headers: Headers, now: number): number | undefined {
  const precise = Number(headers.get('retry-after-ms') ?? Number.NaN);
  if (Number.isFinite(precise)) return Math.max(0, precise);
  const given = headers.get('retry-after');
  if (given === null) return undefined;
  const seconds = Number(given);
  const wait = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(given) - now;
  return Number.isFinite(wait) ? Math.max(0, wait) : undefined;
}
