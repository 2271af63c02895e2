import type { AssistantMessage, Context, ImageContent, Message, TextContent } from '@earendil-works/pi-ai';
import type { ModelContent, ModelMessage, ModelRequest } from '../../ports/model-gateway.ts';
import type { AssistantPart, JsonObject, ModelRef } from '../../ports/model-shapes.ts';
import { NO_USAGE } from '../models/usage.ts';

/** What a model that takes no images is shown instead of one (SPEC-09). */
const IMAGE_OMITTED: TextContent = { type: 'text', text: '(image omitted)' };

/**
 * Our request in the library's shapes. Signatures and replay data go only to the model that made them (RCD-18). No tool
 * asks for strict sampling: it cannot express optional fields, and providers refuse the whole request (PC-035).
 */
export function contextOf(request: ModelRequest, model: ModelRef, takesImages: boolean): Context {
  return {
    systemPrompt: request.system,
    messages: request.messages.map((message) => messageOf(message, model, takesImages)),
    tools: request.tools.map(({ name, description, parameters }) => ({
      name,
      description,
      parameters,
      constrainedSampling: false,
    })),
  };
}

function messageOf(message: ModelMessage, model: ModelRef, takesImages: boolean): Message {
  switch (message.role) {
    case 'user':
      return { role: 'user', content: contentOf(message.content, takesImages), timestamp: 0 };
    case 'tool':
      return {
        role: 'toolResult',
        toolCallId: message.call,
        toolName: message.tool,
        content: contentOf(message.content, takesImages),
        isError: message.isError,
        timestamp: 0,
      };
    case 'assistant':
      return assistantOf(message, model);
  }
}

function contentOf(content: readonly ModelContent[], takesImages: boolean): (TextContent | ImageContent)[] {
  return content.map((part) => {
    if (part.type === 'text') return { type: 'text', text: part.text };
    return takesImages ? { type: 'image', data: part.data, mimeType: part.mimeType } : IMAGE_OMITTED;
  });
}

function assistantOf(
  message: Extract<ModelMessage, { role: 'assistant' }>,
  model: ModelRef,
): AssistantMessage {
  const isOwn = sameModel(message.model, model);
  const level = isOwn ? message.replay?.providerThinkingLevel : undefined;
  const content = message.content.flatMap((part) => partOf(part, isOwn));
  return {
    role: 'assistant',
    content,
    provider: message.model.provider,
    model: message.model.id,
    api: message.model.api,
    usage: { ...NO_USAGE, cost: { ...NO_USAGE.cost } },
    // The library drops failed and aborted messages; one that stands in a request is there on purpose (RCD-83).
    stopReason: content.some((part) => part.type === 'toolCall') ? 'toolUse' : 'stop',
    timestamp: 0,
    ...(typeof level === 'string' && { providerThinkingLevel: level }),
  };
}

function partOf(part: AssistantPart, isOwn: boolean): AssistantMessage['content'] {
  const sig = isOwn ? part.sig : undefined;
  switch (part.type) {
    case 'text':
      return [{ type: 'text', text: part.text, ...(sig !== undefined && { textSignature: sig }) }];
    case 'thinking':
      // Without its signature, thinking would be shown to the model as if it had said it aloud.
      return sig === undefined
        ? []
        : [
            {
              type: 'thinking',
              thinking: part.text,
              thinkingSignature: sig,
              ...(part.redacted && { redacted: true }),
            },
          ];
    case 'call': {
      const namespace = isOwn ? part.replay?.namespace : undefined;
      return [
        {
          type: 'toolCall',
          id: part.id,
          name: part.tool,
          arguments: argumentsOf(part.args),
          ...(sig !== undefined && { thoughtSignature: sig }),
          ...(typeof namespace === 'string' && { namespace }),
        },
      ];
    }
  }
}

/** The arguments as an object; a text that is no JSON object counts as none (records section 2). */
function argumentsOf(args: string): JsonObject {
  try {
    const value: unknown = JSON.parse(args);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
  } catch {
    return {};
  }
}

function sameModel(a: ModelRef, b: ModelRef): boolean {
  return a.provider === b.provider && a.id === b.id && a.api === b.api;
}
