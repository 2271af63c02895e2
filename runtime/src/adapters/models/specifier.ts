import { InvalidModelSpecifierError } from '../../ports/model-errors.ts';

/** The two halves of a specifier and its whole text, as written (SPEC-11). */
export interface Specifier {
  readonly text: string;
  readonly provider: string;
  readonly id: string;
}

/** Splits at the first `/` (SPEC-01); what has no two halves throws (SPEC-02). */
export function parseSpecifier(value: unknown): Specifier {
  if (typeof value !== 'string') throw new InvalidModelSpecifierError({ value });
  const slash = value.indexOf('/');
  const provider = value.slice(0, Math.max(slash, 0));
  const id = value.slice(slash + 1);
  if (provider.trim() === '' || id.trim() === '') throw new InvalidModelSpecifierError({ value });
  return { text: value, provider, id };
}
