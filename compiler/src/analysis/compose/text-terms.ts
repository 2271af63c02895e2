import { literal, type Term } from './term.ts';

export function joinText(parts: readonly (string | Term)[]): Term {
  const joined: (string | Term)[] = [];
  for (const part of parts) {
    const piece = typeof part === 'string' ? part : part.t === 'literal' ? String(part.value) : part;
    if (typeof piece !== 'string') {
      if (piece.t === 'template') joined.push(...piece.parts);
      else joined.push(piece);
    } else if (typeof joined.at(-1) === 'string')
      joined[joined.length - 1] = `${joined.at(-1) as string}${piece}`;
    else joined.push(piece);
  }
  if (joined.length === 1 && typeof joined[0] === 'string') return literal(joined[0]);
  return { t: 'template', parts: joined };
}

export function binary(op: string, left: Term, right: Term): Term | undefined {
  if (op === '+' && (isText(left) || isText(right))) return joinText([left, right]);
  if (left.t !== 'literal' || right.t !== 'literal') return undefined;
  const a = left.value;
  const z = right.value;
  switch (op) {
    case '===':
      return literal(a === z);
    case '!==':
      return literal(a !== z);
  }
  if (typeof a !== 'number' || typeof z !== 'number') return undefined;
  switch (op) {
    case '+':
      return literal(a + z);
    case '-':
      return literal(a - z);
    case '*':
      return literal(a * z);
    case '/':
      return literal(a / z);
    case '%':
      return literal(a % z);
    case '**':
      return literal(a ** z);
    case '<':
      return literal(a < z);
    case '<=':
      return literal(a <= z);
    case '>':
      return literal(a > z);
    case '>=':
      return literal(a >= z);
  }
  return undefined;
}

function isText(term: Term): boolean {
  return term.t === 'template' || (term.t === 'literal' && typeof term.value === 'string');
}
