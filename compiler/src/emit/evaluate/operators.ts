import type ts from 'typescript';
import type { TypeScript } from '../../analysis/host.ts';
import { NotStatic } from './not-static.ts';

/** Arithmetic, concatenation and choice on static values (RULE-28); on anything else nothing is known. */
export function applyBinary(
  api: TypeScript,
  operator: ts.SyntaxKind,
  left: unknown,
  right: () => unknown,
): unknown {
  const kind = api.SyntaxKind;
  switch (operator) {
    case kind.AmpersandAmpersandToken:
      return left ? right() : left;
    case kind.BarBarToken:
      return left ? left : right();
    case kind.QuestionQuestionToken:
      return left === null || left === undefined ? right() : left;
    case kind.EqualsEqualsEqualsToken:
      return left === right();
    case kind.ExclamationEqualsEqualsToken:
      return left !== right();
    case kind.PlusToken: {
      const other = right();
      if (typeof left === 'string' || typeof other === 'string') return text(left) + text(other);
      return number(left) + number(other);
    }
    case kind.MinusToken:
      return number(left) - number(right());
    case kind.AsteriskToken:
      return number(left) * number(right());
    case kind.SlashToken:
      return number(left) / number(right());
    case kind.PercentToken:
      return number(left) % number(right());
    case kind.AsteriskAsteriskToken:
      return number(left) ** number(right());
    default:
      throw new NotStatic('not-literal');
  }
}

export function applyUnary(api: TypeScript, operator: ts.SyntaxKind, operand: unknown): unknown {
  const kind = api.SyntaxKind;
  if (operator === kind.MinusToken) return -number(operand);
  if (operator === kind.PlusToken) return number(operand);
  if (operator === kind.ExclamationToken) return !operand;
  throw new NotStatic('not-literal');
}

function number(value: unknown): number {
  if (typeof value === 'number') return value;
  throw new NotStatic('not-literal');
}

function text(value: unknown): string {
  if (typeof value === 'string' || typeof value === 'number') return String(value);
  throw new NotStatic('not-literal');
}
