import type { ModelContent, ModelMessage } from '../../ports/model-gateway.ts';
import { shorten } from './shorten.ts';

/** A tool result enters the summary call with so many characters at most (CMP-08). */
const RESULT_CHARACTERS = 2_000;

/**
 * A message as a summary request tells of it: prose, because the tools are not declared there and another model may
 * read it, to which calls and signatures mean nothing.
 */
export function messageText(message: ModelMessage): string {
  switch (message.role) {
    case 'user':
      return `[user]\n${contentText(message.content)}`;
    case 'tool':
      return `[${message.isError ? 'error' : 'result'} of ${message.tool}]\n${shorten(contentText(message.content), RESULT_CHARACTERS / 2)}`;
    case 'assistant':
      return message.content
        .flatMap((part) => {
          if (part.type === 'call') return [`[assistant calls ${part.tool}]\n${part.args}`];
          return part.text === ''
            ? []
            : [`[assistant${part.type === 'thinking' ? ' thinks' : ''}]\n${part.text}`];
        })
        .join('\n\n');
  }
}

function contentText(content: readonly ModelContent[]): string {
  return content.map((part) => (part.type === 'text' ? part.text : `(image, ${part.mimeType})`)).join('\n');
}
