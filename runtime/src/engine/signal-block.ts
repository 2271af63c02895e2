import { DEFAULT_SIGNAL_TAG } from '../contract/names.ts';
import type { Signal } from '../conversation/records/index.ts';

/**
 * A signal as the model reads it: a tagged block (NARR-31). Values are escaped and keys made XML names, so no text of a
 * caller can add markup or a second attribute (MSG-09); the record keeps the original keys.
 */
export function signalBlock(signal: Pick<Signal, 'signalType' | 'body' | 'attributes' | 'tagName'>): string {
  const tag = signal.tagName ?? DEFAULT_SIGNAL_TAG;
  const attributes = Object.entries(signal.attributes ?? {})
    .map(([key, value]) => ` ${attributeName(key)}="${escapeAttribute(value)}"`)
    .join('');
  return `<${tag} type="${escapeAttribute(signal.signalType)}"${attributes}>\n${escapeText(signal.body)}\n</${tag}>`;
}

function attributeName(key: string): string {
  if (key === 'type') return 'attr_type';
  const name = key.replace(/[^A-Za-z0-9_.-]/gu, '_');
  return /^[A-Za-z_]/.test(name) ? name : `_${name}`;
}

function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function escapeAttribute(text: string): string {
  return escapeText(text).replaceAll('"', '&quot;');
}
