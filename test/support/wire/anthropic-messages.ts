import {
  isFinished,
  type Json,
  listOf,
  type SseEvent,
  stopOf,
  type WireAnswer,
  type WireProtocol,
} from './protocol.ts';

const STOPS = { stop: 'end_turn', toolUse: 'tool_use', length: 'max_tokens' } as const;

const FAILURES = {
  rate_limit: [429, 'rate_limit_error', 'This request would exceed your rate limit.'],
  quota: [429, 'billing_error', 'Your credit balance is too low; please go to billing.'],
  server: [500, 'api_error', 'Something went wrong.'],
  overloaded: [529, 'overloaded_error', 'Overloaded'],
  auth: [401, 'authentication_error', 'invalid x-api-key'],
  invalid: [400, 'invalid_request_error', 'messages.429.content: field required'],
  too_long: [400, 'invalid_request_error', 'prompt is too long: 213462 tokens > 200000 maximum'],
} as const;

/** Anthropic's Messages API: named events, one content block at a time. */
export const anthropicMessages: WireProtocol = {
  api: 'anthropic-messages',
  path: '/v1/messages',

  stream(answer, model) {
    const events = [messageStart(answer, model), ...blocks(answer)];
    if (answer.end === 'overloaded') {
      events.push(named('error', { error: { type: 'overloaded_error', message: 'Overloaded' } }));
    }
    if (isFinished(answer)) {
      const delta = { stop_reason: STOPS[stopOf(answer)], stop_sequence: null };
      events.push(named('message_delta', { delta, usage: { output_tokens: answer.usage?.output ?? 1 } }));
      events.push(named('message_stop', {}));
    }
    return events;
  },

  fail(kind, text) {
    const [status, type, message] = FAILURES[kind];
    return {
      status,
      body: { type: 'error', error: { type, message: message + text }, request_id: 'req_4290' },
    };
  },

  read(body) {
    const content = listOf(body.messages).flatMap((message) =>
      typeof message.content === 'string'
        ? [{ role: message.role, type: 'text', text: message.content } as Json]
        : listOf(message.content).map((block): Json => ({ role: message.role, ...block })),
    );
    const ofType = (type: string) => content.filter((block) => block.type === type);
    return {
      model: String(body.model),
      system: listOf(body.system)
        .map((block) => block.text)
        .join('\n'),
      tools: listOf(body.tools).map((tool) => ({
        name: String(tool.name),
        description: String(tool.description),
        parameters: tool.input_schema as Json,
        strict: tool.strict,
      })),
      userTexts: ofType('text')
        .filter((block) => block.role === 'user')
        .map((block) => String(block.text)),
      images: ofType('image').length,
      calls: ofType('tool_use').map((block) => ({
        id: String(block.id),
        name: String(block.name),
        args: block.input,
      })),
      results: ofType('tool_result').map((block) => ({
        id: String(block.tool_use_id),
        text: String(block.content),
      })),
      signatures: ofType('thinking').map((block) => String(block.signature)),
      maxTokens: body.max_tokens as number | undefined,
      reasoning: (body.thinking as Json | undefined)?.type === 'disabled' ? undefined : body.thinking,
    };
  },
};

function messageStart(answer: WireAnswer, model: string): SseEvent {
  return named('message_start', {
    message: {
      id: 'msg_wire',
      type: 'message',
      role: 'assistant',
      model,
      content: [],
      stop_reason: null,
      usage: {
        input_tokens: answer.usage?.input ?? 1,
        output_tokens: 1,
        cache_read_input_tokens: answer.usage?.cacheRead ?? 0,
        cache_creation_input_tokens: 0,
      },
    },
  });
}

function blocks(answer: WireAnswer): SseEvent[] {
  const all: { start: Json; deltas: Json[] }[] = [];
  if (answer.thinking) {
    const thinking = answer.thinking.pieces.map((piece) => ({ type: 'thinking_delta', thinking: piece }));
    const signature = { type: 'signature_delta', signature: answer.thinking.signature };
    all.push({ start: { type: 'thinking', thinking: '', signature: '' }, deltas: [...thinking, signature] });
  }
  if (answer.text) {
    const deltas = answer.text.map((text) => ({ type: 'text_delta', text }));
    all.push({ start: { type: 'text', text: '' }, deltas });
  }
  for (const { id, name, pieces } of answer.calls ?? []) {
    const deltas = pieces.map((piece) => ({ type: 'input_json_delta', partial_json: piece }));
    all.push({ start: { type: 'tool_use', id, name, input: {} }, deltas });
  }
  return all.flatMap(({ start, deltas }, index) => {
    const isLast = index === all.length - 1;
    return [
      named('content_block_start', { index, content_block: start }),
      ...deltas.map((delta) => named('content_block_delta', { index, delta })),
      ...(isLast && !isFinished(answer) ? [] : [named('content_block_stop', { index })]),
    ];
  });
}

function named(event: string, data: Json): SseEvent {
  return { event, data: { type: event, ...data } };
}
