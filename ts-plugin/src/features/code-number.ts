/** Flue's numbers stand far above TypeScript's own (RULE-34). */
const FIRST = 700_000;

/** `FLUE2101` as the number that tsserver wants. */
export function numberOf(code: string): number {
  return FIRST + Number(code.slice('FLUE'.length));
}
