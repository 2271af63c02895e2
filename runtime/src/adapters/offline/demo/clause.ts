/** One clause of a message, whose pieces of text are given out at most once (OFF-07). */
export class Clause {
  readonly text: string;
  readonly #taken: { start: number; end: number }[] = [];

  constructor(text: string) {
    this.text = text;
  }

  /**
   * The value that `read` makes of the first match's group 1 (or of the whole match) that is still free; that piece is
   * taken then. `read` answers `undefined` to pass over a match.
   */
  take<T>(pattern: RegExp, read: (found: string, match: RegExpMatchArray) => T | undefined): T | undefined {
    for (const match of this.text.matchAll(new RegExp(pattern, `${pattern.flags}d`))) {
      const [start, end] = match.indices![1] ?? match.indices![0]!;
      if (!this.#isFree(start, end)) continue;
      const value = read(this.text.slice(start, end), match);
      if (value === undefined) continue;
      this.#taken.push({ start, end });
      return value;
    }
    return undefined;
  }

  #isFree(start: number, end: number): boolean {
    return this.#taken.every((taken) => end <= taken.start || start >= taken.end);
  }
}

/** At most 4 clauses, in order: cut at newlines, at `;` and at ` then ` (OFF-04). */
export function clausesOf(message: string): string[] {
  return message
    .split(/\r?\n|;|,?\s(?:and\s)?then\s/i)
    .map((clause) => clause.trim())
    .filter((clause) => clause !== '')
    .slice(0, 4);
}
