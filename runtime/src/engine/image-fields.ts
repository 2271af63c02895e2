import { LIMITS } from '../contract/limits.ts';
import type { DeliveredAttachment } from '../conversation/delivered-message.ts';

/**
 * Checks an image that somebody hands over and returns a detached copy with its known fields only (MSG-04).
 *
 * @param at the caller's own name for it, such as `message.attachments[0]`
 * @param refuse makes the error, of a field and of a verb phrase about it
 */
export function imageFields(
  value: unknown,
  at: string,
  refuse: (field: string, rule: string) => Error,
): DeliveredAttachment {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw refuse(at, 'must be an object');
  const { type, data, mimeType, filename } = value as Record<string, unknown>;
  if (type !== 'image') throw refuse(`${at}.type`, 'must be "image", the only supported attachment');
  if (typeof mimeType !== 'string' || !/^image\/[\w.+-]+$/.test(mimeType)) {
    throw refuse(`${at}.mimeType`, 'must be an image type such as "image/png"');
  }
  if (filename !== undefined && typeof filename !== 'string')
    throw refuse(`${at}.filename`, 'must be a string');
  return {
    type,
    data: base64(data, `${at}.data`, refuse),
    mimeType,
    ...(filename !== undefined && { filename }),
  };
}

/** Checked before anything is stored, so that nothing that was accepted holds bytes that cannot be decoded (MSG-05). */
function base64(data: unknown, at: string, refuse: (field: string, rule: string) => Error): string {
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
