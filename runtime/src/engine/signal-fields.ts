import { RESERVED_SIGNAL_TYPES, SIGNAL_TAG_PATTERN } from '../contract/names.ts';

/** The fields of a signal, whoever sends it (MSG-06). */
export interface SignalFields {
  readonly type: string;
  readonly body: string;
  readonly attributes?: Record<string, string>;
  readonly tagName?: string;
}

/** Makes the error for one field that breaks a rule. */
export type Refuse = (field: string, rule: string) => Error;

/** A fresh copy of the known fields; throws what `refuse` makes of the first one that is wrong (MSG-06, MSG-07, MSG-08). */
export function signalFields(message: Readonly<Record<string, unknown>>, refuse: Refuse): SignalFields {
  const { type, body, attributes, tagName } = message;
  if (typeof type !== 'string' || type.trim() === '') throw refuse('type', 'must be a non-empty string');
  if ((RESERVED_SIGNAL_TYPES as readonly string[]).includes(type)) {
    throw refuse('type', `must not be "${type}", which only the framework writes`);
  }
  if (typeof body !== 'string') throw refuse('body', 'must be a string');
  if (tagName !== undefined && (typeof tagName !== 'string' || !SIGNAL_TAG_PATTERN.test(tagName))) {
    throw refuse(
      'tagName',
      'must be an XML name: letters, digits, "_", "-", ".", starting with a letter or "_"',
    );
  }
  return {
    type,
    body,
    ...(attributes !== undefined && { attributes: stringMap(attributes, refuse) }),
    ...(tagName !== undefined && { tagName }),
  };
}

function stringMap(value: unknown, refuse: Refuse): Record<string, string> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw refuse('attributes', 'must be an object of strings');
  }
  for (const [key, entry] of Object.entries(value)) {
    if (typeof entry !== 'string') throw refuse(`attributes.${key}`, 'must be a string');
  }
  return { ...(value as Record<string, string>) };
}
