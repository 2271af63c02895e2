import type ts from 'typescript';
import type { Evaluator } from '../../compose/evaluate.ts';
import { returnValues } from '../../compose/returns.ts';
import type { Term } from '../../compose/term.ts';
import type { Types } from '../../types.ts';
import { defineRule } from '../define-rule.ts';

/** A response hook whose result is refused. */
export default defineRule({
  code: 'FLUE2307',
  severity: 'error',
  tier: 'S',
  check(project, report) {
    const { evaluator } = project.linker;
    for (const { module, call, name } of project.apiCalls) {
      const value = call.args[0]?.value;
      if ((name !== 'useResponseStart' && name !== 'useResponseFinish') || !value) continue;
      const callback = evaluator.evaluate(module, value);
      if (callback.t !== 'function') continue;
      const fn = callback.module.functions[callback.fn]!;
      const message = messageOf(name);
      if (fn.async || fn.generator) {
        report({
          module: callback.module,
          range: fn.nameRange.end > fn.bodyRange.start ? value : fn.nameRange,
          message,
        });
        continue;
      }
      const wrong = (returnValues(fn) ?? []).find(
        (returned) => returned && isRefused(evaluator.evaluate(callback.module, returned)),
      );
      if (wrong) report({ module: callback.module, range: wrong, message });
    }
  },
  questions(project) {
    const { evaluator } = project.linker;
    return project.apiCalls.flatMap(({ module, call, name }) => {
      const value = call.args[0]?.spread ? undefined : call.args[0]?.value;
      if ((name !== 'useResponseStart' && name !== 'useResponseFinish') || !value) return [];
      if (isDecided(evaluator, evaluator.evaluate(module, value))) return [];
      return [
        {
          module,
          answer(types, report) {
            const node = types.nodeOf(module, value);
            const [signature, ...more] = node
              ? types.checker.getTypeAtLocation(node).getCallSignatures()
              : [];
            if (signature && more.length === 0 && isRefusedType(types, signature.getReturnType()))
              report({ module, range: value, message: messageOf(name) });
          },
        },
      ];
    });
  },
});

function messageOf(hook: string): string {
  return `${hook}() callbacks are synchronous and return a plain object or nothing.`;
}

/** Found already, or returning nothing but what is written out. */
function isDecided(evaluator: Evaluator, callback: Term): boolean {
  if (callback.t !== 'function') return false;
  const fn = callback.module.functions[callback.fn]!;
  const returned = returnValues(fn) ?? [];
  if (fn.async || fn.generator) return true;
  const terms = returned.map((value) => value && evaluator.evaluate(callback.module, value));
  if (terms.some((term) => term && isRefused(term))) return true;
  return terms.length > 0 && terms.every((term) => !term || term.t === 'object' || term.t === 'literal');
}

/** Refused whatever the callback does. What is not known is accepted (RULE-17). */
function isRefusedType({ api, checker }: Types, type: ts.Type): boolean {
  const {
    Any,
    Unknown,
    Never,
    Void,
    Undefined,
    Object: AnObject,
    Intersection,
    Instantiable,
  } = api.TypeFlags;
  const members = type.isUnion() ? type.types : [type];
  return members.every((member) => {
    if (member.flags & (Any | Unknown | Never | Void | Undefined | Instantiable | Intersection)) return false;
    if (!(member.flags & AnObject)) return true;
    return (
      checker.isArrayType(member) || checker.isTupleType(member) || member.getProperty('then') !== undefined
    );
  });
}

function isRefused(term: Term): boolean {
  if (term.t === 'literal') return term.value !== undefined;
  if (term.t === 'call')
    return (
      term.callee.t === 'external' && term.callee.source === 'globalThis' && term.callee.name === 'fetch'
    );
  return term.t === 'array' || term.t === 'function' || term.t === 'template';
}
