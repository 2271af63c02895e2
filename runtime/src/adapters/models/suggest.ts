/** At most `limit` candidates within `distance` edits of a name or starting with it, nearest first (SPEC-04, SPEC-05). */
export function suggest(
  name: string,
  candidates: Iterable<string>,
  o: { readonly distance: number; readonly limit: number },
): string[] {
  const wanted = name.toLowerCase();
  const ranked: { candidate: string; edits: number }[] = [];
  for (const candidate of candidates) {
    const other = candidate.toLowerCase();
    const isStart = other.startsWith(wanted) || wanted.startsWith(other);
    const edits = isStart ? Math.abs(wanted.length - other.length) : editDistance(wanted, other, o.distance);
    if (isStart || edits <= o.distance) ranked.push({ candidate, edits });
  }
  ranked.sort((a, b) => a.edits - b.edits || (a.candidate < b.candidate ? -1 : 1));
  return ranked.slice(0, o.limit).map((entry) => entry.candidate);
}

/** Levenshtein distance, or `limit + 1` as soon as it must be larger: catalogs hold thousands of ids. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const substituted = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(substituted, row[j]! + 1, next[j - 1]! + 1));
    }
    if (Math.min(...next) > limit) return limit + 1;
    row = next;
  }
  return row[b.length]!;
}
