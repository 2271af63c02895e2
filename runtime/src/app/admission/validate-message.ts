import { LIMITS } from '../../contract/limits.ts';
import type { DeliveredAttachment, DeliveredMessage } from '../../conversation/delivered-message.ts';
import { signalFields } from '../../engine/signal-fields.ts';
import { InvalidRequestError } from '../errors.ts';

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
  return { kind: 'user', body, attachments: message.attachments.map(attachment) };
}

function attachment(value: unknown, index: number): DeliveredAttachment {
  const at = `message.attachments[${index}]`;
  const { type, data, mimeType, filename } = object(value, at, 'must be an object');
  if (type !== 'image') throw refuse(`${at}.type`, 'must be "image", the only supported attachment');
  if (typeof mimeType !== 'string' || !/^image\/[\w.+-]+$/.test(mimeType)) {
    throw refuse(`${at}.mimeType`, 'must be an image type such as "image/png"');
  }
  if (filename !== undefined && typeof filename !== 'string')
    throw refuse(`${at}.filename`, 'must be a string');
  return {
    type,
    data: base64(data, `${at}.data`),
    mimeType,
    ...(filename !== undefined && { filename }),
  };
}

/** Checked before anything is stored, so that no accepted submission holds bytes that cannot be decoded (MSG-05). */
function base64(data: unknown, at: string): string {
  if (typeof data !== 'string') throw refuse(at, 'must be a string of base64');
  if (data.length > LIMITS.attachmentBase64Chars) {
    throw refuse(at, `must be at most ${LIMITS.attachmentBase64Chars} base64 characters`);
  }
  if (data.startsWith('data:')) throw refuse(at, 'must be plain base64, without a data: prefix');
  if (data.length === 0) throw refuse(at, 'must hold at least one byte');
  if (data.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(data)) {
    throw refuse(at, 'must be plain base64 with correct padding');
  }
  return data;
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
