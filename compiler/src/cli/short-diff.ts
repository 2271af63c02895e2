/** Lines of one change that are shown. */
const LIMIT = 8;

/** The first place where two texts differ: enough to see what is stale, never the whole file (GEN-04). */
export function shortDiff(before: string, after: string): string {
  const old = before.split('\n');
  const now = after.split('\n');
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start++;
  let tail = 0;
  const most = Math.min(old.length, now.length) - start;
  while (tail < most && old[old.length - 1 - tail] === now[now.length - 1 - tail]) tail++;
  const lines = [
    ...shortened(old.slice(start, old.length - tail), '-'),
    ...shortened(now.slice(start, now.length - tail), '+'),
  ];
  return `  @@ line ${start + 1} @@\n${lines.map((line) => `  ${line}\n`).join('')}`;
}

function shortened(lines: readonly string[], sign: string): string[] {
  const shown = lines
    .slice(0, LIMIT)
    .map((line) => `${sign} ${line.length > 120 ? `${line.slice(0, 119)}…` : line}`);
  return lines.length > LIMIT ? [...shown, `${sign} … ${lines.length - LIMIT} more`] : shown;
}
