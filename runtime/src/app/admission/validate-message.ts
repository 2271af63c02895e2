import type { DeliveredMessage } from '../../conversation/delivered-message.ts';
import { imageFields } from '../../engine/image-fields.ts';
import { signalFields } from '../../engine/signal-fields.ts';
import { InvalidRequestError } from '../../errors/invalid-request-error.ts';

type Fields = Record<string, unknown>;

/**
 * The validator of every transport (MSG-01): returns a fresh, detached message with the known properties only (MSG-10,
 * MSG-12) or throws `InvalidRequestError` naming the field and the rule it broke (MSG-03).
 */
export function validateMessage(input: unknown): DeliveredMessage {
  if (typeof input === 'string') return { kind: 'user', body: input };
  const message = object(input, 'message', 'must be an object with kind "user" or "signal"');
  switch (message.kind) {
    case 'user':
      return userMessage(message);
    case 'signal':
      return signal(message);
    default:
      throw refuse('message.kind', 'must be "user" or "signal"');
  }
}

function userMessage(message: Fields): DeliveredMessage {
  const body = text(message.body, 'message.body');
  if (message.attachments === undefined) return { kind: 'user', body };
  if (!Array.isArray(message.attachments)) throw refuse('message.attachments', 'must be an array');
  return {
    kind: 'user',
    body,
    attachments: message.attachments.map((one, index) =>
      imageFields(one, `message.attachments[${index}]`, refuse),
    ),
  };
}

function signal(message: Fields): DeliveredMessage {
  return { kind: 'signal', ...signalFields(message, (field, rule) => refuse(`message.${field}`, rule)) };
}

function text(value: unknown, at: string): string {
  if (typeof value !== 'string') throw refuse(at, 'must be a string');
  return value;
}

function object(value: unknown, at: string, rule: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw refuse(at, rule);
  return value as Fields;
}

function refuse(field: string, rule: string): InvalidRequestError {
  return new InvalidRequestError({ field, rule, code: 'FLUE4005' });
}
