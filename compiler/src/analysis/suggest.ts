/** The nearest of some known words, when it is near enough to be a misspelling or the beginning of it. */
export function suggest(word: string, known: readonly string[], limit = 2): string | undefined {
  const longer =
    word.length > 2
      ? known.find((candidate) => candidate.toLowerCase().startsWith(word.toLowerCase()))
      : undefined;
  if (longer !== undefined) return longer;
  let best: string | undefined;
  let least = limit + 1;
  for (const candidate of known) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase(), least);
    if (distance < least) {
      least = distance;
      best = candidate;
    }
  }
  return best;
}

/** Edits between two words; anything of `limit` or more counts as `limit`. */
export function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + cost));
    }
    row = next;
  }
  return Math.min(row[b.length]!, limit);
}
