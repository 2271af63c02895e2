import { suggestion } from '../contract/nearest.ts';

/**
 * What is wrong with the first field that nobody knows, for the end of a message: `has no field "modle"; did you mean
 * "model"? It takes model, name.` (HOOK-04). `undefined` when every field is known.
 */
export function unknownField(value: object, known: readonly string[], noun = 'field'): string | undefined {
  const unknown = Object.keys(value).find((field) => !known.includes(field));
  if (unknown === undefined) return undefined;
  const hint = suggestion(unknown, known);
  return `has no ${noun} "${unknown}"${hint || '.'} It takes ${known.join(', ')}.`;
}
