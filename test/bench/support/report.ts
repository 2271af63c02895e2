import type { Line } from './measurement.ts';

/** The rows as a table that a terminal and a pull request both show. */
export function formatTable(lines: readonly Line[]): string {
  const rows = [
    ['what', 'ours', 'peer', 'ratio', 'spread', 'beside', 'target'],
    ...lines.map((line) => [
      line.what,
      amount(line.ours, line.unit),
      amount(line.peer, line.unit),
      line.ratio.toFixed(2),
      line.spread.map((ratio) => ratio.toFixed(2)).join('-'),
      line.beside,
      line.target,
    ]),
  ];
  const widths = (rows[0] as string[]).map((_, column) =>
    Math.max(...rows.map((row) => (row[column] as string).length)),
  );
  const [head, ...body] = rows.map((cells) => format(cells, widths));
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`;
  return [head, rule, ...body].join('\n');
}

function format(cells: readonly string[], widths: readonly number[]): string {
  return `| ${cells.map((cell, column) => cell.padEnd(widths[column] as number)).join(' | ')} |`;
}

function amount(value: number, unit: Line['unit']): string {
  const digits = value >= 100 || (unit === '' && Number.isInteger(value)) ? 0 : value >= 1 ? 1 : 3;
  const text = value.toFixed(digits);
  return unit === '/s' ? `${text}/s` : unit === '' ? text : `${text} ${unit}`;
}
