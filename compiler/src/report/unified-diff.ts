import type { TextEdit } from '../analysis/diagnostic.ts';

/** Lines around a change, as `patch` expects them. */
const CONTEXT = 3;

/** Old lines `[from, to)` and what stands in their place. */
interface Block {
  readonly from: number;
  to: number;
  edits: TextEdit[];
}

/**
 * A unified diff of one file from its edits, which are ascending and do not overlap. Nothing has to be searched for, so
 * each hunk is what was meant.
 */
export function unifiedDiff(path: string, before: string, edits: readonly TextEdit[]): string {
  const lines = before.split(/(?<=\n)/);
  const starts = lineStarts(lines);
  const hunks: string[] = [];
  let shift = 0;
  for (const group of grouped(blocksOf(edits, starts, lines.length))) {
    const from = Math.max(0, group[0]!.from - CONTEXT);
    const to = Math.min(lines.length, group.at(-1)!.to + CONTEXT);
    const body: string[] = [];
    let at = from;
    let added = 0;
    let removed = 0;
    for (const block of group) {
      body.push(...lines.slice(at, block.from).map((line) => ` ${line}`));
      const old = lines.slice(block.from, block.to);
      const now = replaced(old.join(''), starts[block.from] ?? before.length, block.edits);
      body.push(...changedLines(old, now));
      removed += old.length;
      added += now.length;
      at = block.to;
    }
    body.push(...lines.slice(at, to).map((line) => ` ${line}`));
    const length = to - from;
    hunks.push(
      `@@ -${from + 1},${length} +${from + 1 + shift},${length - removed + added} @@\n`,
      ...body.map(ended),
    );
    shift += added - removed;
  }
  return `--- a/${path}\n+++ b/${path}\n${hunks.join('')}`;
}

/** An edit at a line's edge touches a line that it leaves as it was; such lines are context. */
function changedLines(old: readonly string[], now: readonly string[]): string[] {
  const shorter = Math.min(old.length, now.length);
  let head = 0;
  while (head < shorter && old[head] === now[head]) head++;
  let tail = 0;
  while (tail < shorter - head && old.at(-1 - tail) === now.at(-1 - tail)) tail++;
  return [
    ...old.slice(0, head).map((line) => ` ${line}`),
    ...old.slice(head, old.length - tail).map((line) => `-${line}`),
    ...now.slice(head, now.length - tail).map((line) => `+${line}`),
    ...old.slice(old.length - tail).map((line) => ` ${line}`),
  ];
}

/** The lines that each edit touches; edits that share a line share a block. */
function blocksOf(edits: readonly TextEdit[], starts: readonly number[], count: number): Block[] {
  const blocks: Block[] = [];
  for (const edit of edits) {
    const from = Math.min(lineAt(starts, edit.start), count - 1);
    const to = Math.min(lineAt(starts, edit.end), count - 1) + 1;
    const last = blocks.at(-1);
    if (last !== undefined && from < last.to) {
      last.to = Math.max(last.to, to);
      last.edits.push(edit);
    } else blocks.push({ from, to, edits: [edit] });
  }
  return blocks;
}

/** Blocks whose contexts would meet stand in one hunk. */
function grouped(blocks: readonly Block[]): Block[][] {
  const groups: Block[][] = [];
  for (const block of blocks) {
    const last = groups.at(-1);
    if (last !== undefined && block.from - last.at(-1)!.to <= 2 * CONTEXT) last.push(block);
    else groups.push([block]);
  }
  return groups;
}

function replaced(text: string, offset: number, edits: readonly TextEdit[]): string[] {
  let result = '';
  let at = 0;
  for (const edit of edits) {
    result += text.slice(at, edit.start - offset) + edit.text;
    at = edit.end - offset;
  }
  result += text.slice(at);
  return result === '' ? [] : result.split(/(?<=\n)/);
}

function lineStarts(lines: readonly string[]): number[] {
  const starts: number[] = [];
  let offset = 0;
  for (const line of lines) {
    starts.push(offset);
    offset += line.length;
  }
  return starts;
}

function lineAt(starts: readonly number[], offset: number): number {
  let line = 0;
  while (line + 1 < starts.length && starts[line + 1]! <= offset) line++;
  return line;
}

function ended(line: string): string {
  return line.endsWith('\n') ? line : `${line}\n\\ No newline at end of file\n`;
}
