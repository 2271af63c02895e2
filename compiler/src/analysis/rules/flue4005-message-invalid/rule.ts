import { RESERVED_SIGNAL_TYPES, SIGNAL_TAG_PATTERN } from '@flue/runtime/internal';
import type ts from 'typescript';
import type { Evaluator } from '../../compose/evaluate.ts';
import { type Field, type Fields, fieldsOf } from '../../compose/fields.ts';
import { isKnown } from '../../compose/options.ts';
import { sendsOf } from '../../compose/sends.ts';
import type { Module, Range } from '../../program.ts';
import type { Types } from '../../types.ts';
import { defineRule } from '../define-rule.ts';

interface Problem {
  readonly module: Module;
  readonly range: Range;
  readonly field: string;
  readonly problem: string;
}

/** A message that its validator refuses (MSG-03). */
export default defineRule({
  code: 'FLUE4005',
  severity: 'error',
  tier: 'S',
  check(project, report) {
    const { evaluator } = project.linker;
    for (const { kind, message } of sendsOf(project)) {
      if (message?.term.t !== 'object') continue;
      const fields = fieldsOf(evaluator, message.term);
      for (const { module, range, field, problem } of problemsOf(
        evaluator,
        fields,
        message,
        kind === 'append',
      )) {
        report({ module, range, message: `Message: ${field} ${problem}.` });
      }
    }
  },
  questions(project) {
    const { evaluator } = project.linker;
    return sendsOf(project).flatMap(({ message }) => {
      if (message?.term.t !== 'object') return [];
      const attributes = fieldsOf(evaluator, message.term).byName.get('attributes')?.term;
      if (attributes?.t !== 'object') return [];
      const open = [...fieldsOf(evaluator, attributes).byName.values()].filter(
        ({ term }) => !isKnown(term) && term.t !== 'template',
      );
      return open.map(({ module, key, value }) => ({
        module,
        answer(types, report) {
          const node = types.nodeOf(module, value);
          if (node && isNoText(types, types.checker.getTypeAtLocation(node)))
            report({ module, range: value, message: `Message: attributes.${key} must be a string.` });
        },
      }));
    });
  },
});

/** No string whatever it is; `undefined` leaves the attribute out. */
function isNoText({ api }: Types, type: ts.Type): boolean {
  const { NumberLike, BooleanLike, BigIntLike, ESSymbolLike, Null, Object: AnObject } = api.TypeFlags;
  const members = type.isUnion() ? type.types : [type];
  return members.every(
    ({ flags }) => flags & (NumberLike | BooleanLike | BigIntLike | ESSymbolLike | Null | AnObject),
  );
}

function* problemsOf(
  evaluator: Evaluator,
  { byName, closed }: Fields,
  whole: { readonly module: Module; readonly value: Range },
  isAppend: boolean,
): Generator<Problem> {
  const at = (field: Field, problem: string): Problem => ({
    module: field.module,
    range: field.value,
    field: field.key,
    problem,
  });
  const kind = byName.get('kind');
  const kindName = kind?.term.t === 'literal' ? kind.term.value : undefined;
  if (!kind) {
    if (closed) yield { module: whole.module, range: whole.value, field: 'kind', problem: 'is missing' };
    return;
  }
  if (isKnown(kind.term) && kindName !== 'user' && kindName !== 'signal')
    yield at(kind, "must be 'user' or 'signal'");
  if (isAppend && kindName === 'user') yield at(kind, "must be 'signal' in an append");
  const body = byName.get('body');
  if (body ? isKnown(body.term) && !isText(body) : closed) {
    yield body
      ? at(body, 'must be a string')
      : { module: whole.module, range: whole.value, field: 'body', problem: 'is missing' };
  }
  if (kindName === 'signal') yield* signalProblems(evaluator, byName, closed, whole, at);
  const attachments = byName.get('attachments')?.term;
  for (const item of attachments?.t === 'array' ? attachments.items : []) {
    const type = item.t === 'object' ? fieldsOf(evaluator, item).byName.get('type') : undefined;
    if (type && isKnown(type.term) && !(type.term.t === 'literal' && type.term.value === 'image'))
      yield at(type, "must be 'image'");
  }
}

function* signalProblems(
  evaluator: Evaluator,
  byName: Fields['byName'],
  closed: boolean,
  whole: { readonly module: Module; readonly value: Range },
  at: (field: Field, problem: string) => Problem,
): Generator<Problem> {
  const type = byName.get('type');
  if (!type && closed)
    yield { module: whole.module, range: whole.value, field: 'type', problem: 'is missing' };
  if (type?.term.t === 'literal') {
    if (typeof type.term.value !== 'string' || type.term.value.trim() === '')
      yield at(type, 'must not be blank');
    else if ((RESERVED_SIGNAL_TYPES as readonly string[]).includes(type.term.value))
      yield at(type, 'is reserved by the framework');
  }
  const attributes = byName.get('attributes');
  if (attributes?.term.t === 'object') {
    for (const field of fieldsOf(evaluator, attributes.term).byName.values()) {
      if (isKnown(field.term) && !isText(field))
        yield { ...at(field, 'must be a string'), field: `attributes.${field.key}` };
    }
  }
  const tag = byName.get('tagName');
  if (tag && isText(tag) && tag.term.t === 'literal' && !SIGNAL_TAG_PATTERN.test(String(tag.term.value)))
    yield at(tag, 'must be an XML name');
}

function isText({ term }: Field): boolean {
  return term.t === 'literal' && typeof term.value === 'string';
}
