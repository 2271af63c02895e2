import type { WireFailureKind } from './protocol.ts';

const FAILURES = {
  rate_limit: [429, 'rate_limit_error', 'rate_limit_exceeded', 'Rate limit reached for requests.'],
  quota: [429, 'insufficient_quota', 'insufficient_quota', 'You exceeded your current quota.'],
  server: [500, 'server_error', null, 'The server had an error while processing your request.'],
  overloaded: [503, 'server_error', null, 'The engine is currently overloaded.'],
  auth: [401, 'invalid_request_error', 'invalid_api_key', 'Incorrect API key provided'],
  invalid: [400, 'invalid_request_error', null, "Invalid type for 'messages[429].content'."],
  too_long: [
    400,
    'invalid_request_error',
    'context_length_exceeded',
    'Your input exceeds the context window of this model.',
  ],
} as const;

/** OpenAI's error body, the same for all of its endpoints. */
export function openaiFailure(kind: WireFailureKind, text: string) {
  const [status, type, code, message] = FAILURES[kind];
  return { status, body: { error: { message: message + text, type, code, param: null } } };
}
