import { openaiFailure } from './openai-errors.ts';
import { isFinished, type Json, listOf, type SseEvent, stopOf, type WireProtocol } from './protocol.ts';

const STOPS = { stop: 'stop', toolUse: 'tool_calls', length: 'length' } as const;

/** OpenAI's Chat Completions API, as compatible servers speak it: unnamed chunks, `[DONE]` at the end. */
export const openaiCompletions: WireProtocol = {
  api: 'openai-completions',
  path: '/v1/chat/completions',

  stream(answer, model) {
    const chunk = (choice: Json | undefined, more: Json = {}): SseEvent => ({
      data: {
        id: 'chatcmpl_wire',
        object: 'chat.completion.chunk',
        created: 1,
        model,
        choices: choice ? [{ index: 0, ...choice }] : [],
        ...more,
      },
    });
    const delta = (content: Json) => chunk({ delta: content, finish_reason: null });
    const events = [delta({ role: 'assistant', content: '' })];
    for (const piece of answer.thinking?.pieces ?? []) events.push(delta({ reasoning_content: piece }));
    for (const piece of answer.text ?? []) events.push(delta({ content: piece }));
    for (const [index, { id, name, pieces }] of (answer.calls ?? []).entries()) {
      events.push(
        delta({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] }),
      );
      for (const piece of pieces)
        events.push(delta({ tool_calls: [{ index, function: { arguments: piece } }] }));
    }
    if (answer.end === 'overloaded') events.push({ data: openaiFailure('overloaded', '').body });
    if (isFinished(answer)) {
      events.push(chunk({ delta: {}, finish_reason: STOPS[stopOf(answer)] }));
      const { input = 1, output = 1, cacheRead = 0 } = answer.usage ?? {};
      events.push(
        chunk(undefined, {
          usage: {
            prompt_tokens: input + cacheRead,
            completion_tokens: output,
            total_tokens: input + cacheRead + output,
            prompt_tokens_details: { cached_tokens: cacheRead },
          },
        }),
      );
      events.push({ data: '[DONE]' });
    }
    return events;
  },

  fail: openaiFailure,

  read(body) {
    const messages = listOf(body.messages);
    const ofRole = (...roles: string[]) => messages.filter((message) => roles.includes(String(message.role)));
    const parts = ofRole('user').flatMap((message) =>
      typeof message.content === 'string'
        ? [{ type: 'text', text: message.content } as Json]
        : listOf(message.content),
    );
    return {
      model: String(body.model),
      system: ofRole('system', 'developer')
        .map((message) => message.content)
        .join('\n'),
      tools: listOf(body.tools).map((tool) => {
        const { name, description, parameters, strict } = tool.function as Json;
        return {
          name: String(name),
          description: String(description),
          parameters: parameters as Json,
          strict,
        };
      }),
      userTexts: parts.filter((part) => part.type === 'text').map((part) => String(part.text)),
      images: parts.filter((part) => part.type === 'image_url').length,
      calls: ofRole('assistant')
        .flatMap((message) => listOf(message.tool_calls))
        .map((call) => {
          const { name, arguments: args } = call.function as { name: string; arguments: string };
          return { id: String(call.id), name, args: JSON.parse(args) };
        }),
      results: ofRole('tool').map((message) => ({
        id: String(message.tool_call_id),
        text: String(message.content),
      })),
      // No signatures in this protocol: the thinking text itself goes back, in the field that it came in.
      signatures: ofRole('assistant').flatMap((message) =>
        'reasoning_content' in message ? [String(message.reasoning_content)] : [],
      ),
      maxTokens: (body.max_completion_tokens ?? body.max_tokens) as number | undefined,
      reasoning: body.reasoning_effort,
    };
  },
};
