import type { AssistantMessage } from '@earendil-works/pi-ai';
import { describe, expect, it } from 'vitest';
import { NO_USAGE } from '../models/usage.ts';
import { faultOf, retryAfterMs } from './fault.ts';

function fault(text: string, status?: number) {
  const message: AssistantMessage = {
    role: 'assistant',
    content: [],
    provider: 'p',
    model: 'm',
    api: 'a',
    usage: { ...NO_USAGE, cost: { ...NO_USAGE.cost } },
    stopReason: 'error',
    errorMessage: text,
    timestamp: 0,
  };
  const response = status === undefined ? undefined : { status, headers: new Headers() };
  return faultOf(message, { text, contextWindow: 1000, response });
}

describe('a failure', () => {
  it.each([
    ['Overloaded', undefined],
    ['rate limit reached', undefined],
    ['503 service unavailable', undefined],
    ['upstream said 502', undefined],
    ['read ECONNRESET', undefined],
    ['request timed out', undefined],
    ['Stream ended without finish_reason', undefined],
    ['what the proxy says is its own', 529],
    ['no body', 504],
    ['slow down', 429],
    ['stopped (retryable_interruption)', undefined],
  ])('%j with status %s is transient (RETRY-01)', (text, status) => {
    expect(fault(text, status).class).toBe('transient');
  });

  it.each([
    ['request 4290 failed for token 15030', undefined],
    ['insufficient_quota', 429],
    ['please check your billing details', 429],
    ['{"type":"invalid_request_error","message":"field 500 is required"}', 400],
    ['{"type":"invalid_request_error"}', 429],
    ['the server had an error, 503', 401],
    ['not allowed', 403],
    ['no such model', 404],
  ])('%j with status %s is terminal (RETRY-01, AUTH-06)', (text, status) => {
    expect(fault(text, status).class).toBe('terminal');
  });

  it.each([
    ['prompt is too long: 213462 tokens > 200000 maximum', 400],
    ['413 request_too_large, please retry: overloaded', undefined],
    ['nothing said', 413],
  ])('%j with status %s is an overflow, before transience (OVER-01)', (text, status) => {
    expect(fault(text, status)).toMatchObject({ class: 'overflow', reason: 'context_overflow' });
  });

  it('tells its status from the response, or from the start of the text', () => {
    expect(fault('no', 418).status).toBe(418);
    expect(fault('503 service unavailable').status).toBe(503);
    expect(fault('OpenAI API error (429): slow down').status).toBe(429);
    expect(fault('the number 503 in a text').status).toBeUndefined();
    expect(fault('a stream that broke after a 200', 200).status).toBeUndefined();
  });

  it('shows no markers of classification and no endless text (CLS-05)', () => {
    expect(fault('stopped (retryable_interruption)').message).toBe('stopped');
    expect(fault('x'.repeat(9000)).message).toHaveLength(4000);
  });
});

describe('the wait that a server asks for (RETRY-04)', () => {
  it.each([
    [{}, undefined],
    [{ 'retry-after-ms': '250', 'retry-after': '9' }, 250],
    [{ 'retry-after': '1.5' }, 1500],
    [{ 'retry-after': 'Thu, 01 Jan 1970 00:00:30 GMT' }, 20_000],
    [{ 'retry-after': 'Thu, 01 Jan 1970 00:00:01 GMT' }, 0],
    [{ 'retry-after': 'soon' }, undefined],
  ])('%j', (headers, wait) => {
    expect(retryAfterMs(new Headers(headers as Record<string, string>), 10_000)).toBe(wait);
  });
});
