import type { Span } from '../diagnostic.ts';
import { spanOf } from '../position.ts';
import type { Module, Range } from '../program.ts';
import type { DynamicReason, Json, Presence, SchemaRef, Slot, Stability } from '../summary.ts';
import type { Root } from './entries.ts';
import type { Evaluator } from './evaluate.ts';
import { type Field, toJson } from './fields.ts';
import type { Steadiness } from './stability.ts';
import type { Term } from './term.ts';
import { type Count, type Event, steadinessOf } from './world.ts';

export function textSlot(term: Term | undefined, span: Span): Slot<string> {
  if (term?.t === 'literal' && typeof term.value === 'string')
    return { static: true, value: term.value, span };
  return { static: false, reason: reasonOf(term), span };
}

export function jsonSlot(evaluator: Evaluator, term: Term | undefined, span: Span): Slot<Json> {
  const value = term && toJson(evaluator, term);
  return value === undefined
    ? { static: false, reason: reasonOf(term), span }
    : { static: true, value, span };
}

function reasonOf(term: Term | undefined): DynamicReason {
  switch (term?.t) {
    case 'opaque':
      return term.reason;
    case 'param':
      return 'parameter';
    case 'call':
      return 'opaque-call';
    case 'member':
      return reasonOf(term.object);
    default:
      return 'not-literal';
  }
}

export function fieldSpan(field: Field): Span {
  return spanOf(field.module, field.value);
}

/** A declared schema. `undefined` written out counts as none. */
export function schemaRef(field: Field | undefined): SchemaRef | null {
  return field && !(field.term.t === 'literal' && field.term.value === undefined)
    ? { span: fieldSpan(field) }
    : null;
}

export function presenceOf(count: Count): Presence {
  if (count.max > 1) return 'repeated';
  return count.min > 0 ? 'always' : 'sometimes';
}

/** The stability of what decides, seen from the function that is rendered: its own `props` are fixed. */
export function levelFor(root: Pick<Root, 'module' | 'fn'>, steadiness: Steadiness): Stability {
  const foreign = steadiness.params.some(
    (param) => param.fn !== root.fn.id || param.module !== root.module || param.index > 0,
  );
  return foreign && steadiness.level === 'fixed' ? 'unknown' : steadiness.level;
}

export function declaredAt(root: Pick<Root, 'module' | 'fn'>, event: Event, count: Count) {
  const presence = presenceOf(count);
  return {
    presence,
    ...(presence === 'sometimes' ? { stability: levelFor(root, steadinessOf(count)) } : {}),
    via: event.chain.map((hop) => hop.callee),
    span: spanOf(event.module, event.call),
  };
}

/** Where an argument of a call is written; the call itself when it has none. */
export function argumentSpan(event: Event, index: number): Span {
  return spanOf(event.module, argumentRange(event, index));
}

export function argumentRange(
  event: { readonly module: Module; readonly call: Event['call'] },
  index: number,
): Range {
  return event.call.args[index]?.value ?? event.call;
}
