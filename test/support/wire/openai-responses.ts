import { openaiFailure } from './openai-errors.ts';
import {
  isFinished,
  type Json,
  listOf,
  type SseEvent,
  stopOf,
  type WireAnswer,
  type WireProtocol,
} from './protocol.ts';

/** OpenAI's Responses API: items that are added, filled and done. */
export const openaiResponses: WireProtocol = {
  api: 'openai-responses',
  path: '/v1/responses',

  stream(answer, model) {
    const response = { id: 'resp_wire', object: 'response', model, status: 'in_progress', output: [] };
    const events = [named('response.created', { response }), ...items(answer)];
    if (answer.end === 'overloaded') {
      events.push(
        named('error', { code: 'server_is_overloaded', message: 'Our servers are currently overloaded.' }),
      );
    }
    if (isFinished(answer)) {
      const isCut = stopOf(answer) === 'length';
      events.push(
        named(isCut ? 'response.incomplete' : 'response.completed', {
          response: {
            ...response,
            status: isCut ? 'incomplete' : 'completed',
            incomplete_details: isCut ? { reason: 'max_output_tokens' } : null,
            usage: usage(answer),
          },
        }),
      );
    }
    return events;
  },

  fail: openaiFailure,

  read(body) {
    const input = listOf(body.input);
    const ofType = (type: string) => input.filter((item) => item.type === type);
    const parts = input.filter((item) => item.role === 'user').flatMap((item) => listOf(item.content));
    return {
      model: String(body.model),
      system: input
        .filter((item) => item.role === 'developer' || item.role === 'system')
        .map((item) => item.content)
        .join('\n'),
      tools: listOf(body.tools).map((tool) => ({
        name: String(tool.name),
        description: String(tool.description),
        parameters: tool.parameters as Json,
        strict: tool.strict,
      })),
      userTexts: parts.filter((part) => part.type === 'input_text').map((part) => String(part.text)),
      images: parts.filter((part) => part.type === 'input_image').length,
      calls: ofType('function_call').map((item) => ({
        id: String(item.call_id),
        name: String(item.name),
        args: JSON.parse(String(item.arguments)),
      })),
      results: ofType('function_call_output').map((item) => ({
        id: String(item.call_id),
        text: String(item.output),
      })),
      signatures: ofType('reasoning').map((item) => String(item.encrypted_content)),
      maxTokens: body.max_output_tokens as number | undefined,
      reasoning: (body.reasoning as Json | undefined)?.effort === 'none' ? undefined : body.reasoning,
    };
  },
};

function items(answer: WireAnswer): SseEvent[] {
  const all: { added: Json; filled: SseEvent[]; done: Json }[] = [];
  const at = () => ({ output_index: all.length });
  if (answer.thinking) {
    const { pieces, signature } = answer.thinking;
    const item = { type: 'reasoning', id: 'rs_wire' };
    const filled = pieces.map((delta) =>
      named('response.reasoning_summary_text.delta', {
        ...at(),
        item_id: 'rs_wire',
        summary_index: 0,
        delta,
      }),
    );
    const summary = [{ type: 'summary_text', text: pieces.join('') }];
    all.push({
      added: { ...item, summary: [] },
      filled,
      done: { ...item, summary, encrypted_content: signature },
    });
  }
  if (answer.text) {
    const item = { type: 'message', id: 'msg_wire', role: 'assistant' };
    const filled = answer.text.map((delta) =>
      named('response.output_text.delta', { ...at(), item_id: 'msg_wire', content_index: 0, delta }),
    );
    const content = [{ type: 'output_text', text: answer.text.join(''), annotations: [] }];
    all.push({
      added: { ...item, status: 'in_progress', content: [] },
      filled,
      done: { ...item, status: 'completed', content },
    });
  }
  for (const { id, name, pieces } of answer.calls ?? []) {
    const item = { type: 'function_call', id: `fc_${id}`, call_id: id, name };
    const filled = pieces.map((delta) =>
      named('response.function_call_arguments.delta', { ...at(), item_id: `fc_${id}`, delta }),
    );
    all.push({
      added: { ...item, status: 'in_progress', arguments: '' },
      filled,
      done: {
        ...item,
        status: stopOf(answer) === 'length' ? 'incomplete' : 'completed',
        arguments: pieces.join(''),
      },
    });
  }
  return all.flatMap(({ added, filled, done }, output_index) => {
    const isLast = output_index === all.length - 1;
    return [
      named('response.output_item.added', { output_index, item: added }),
      ...filled,
      ...(isLast && !isFinished(answer)
        ? []
        : [named('response.output_item.done', { output_index, item: done })]),
    ];
  });
}

function usage({ usage: given }: WireAnswer): Json {
  const { input = 1, output = 1, cacheRead = 0 } = given ?? {};
  return {
    input_tokens: input + cacheRead,
    input_tokens_details: { cached_tokens: cacheRead },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input + cacheRead + output,
  };
}

let sequence = 0;

function named(event: string, data: Json): SseEvent {
  return { event, data: { type: event, sequence_number: sequence++, ...data } };
}
