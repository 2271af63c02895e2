import type ts from 'typescript';
import type { Evaluator } from '../../compose/evaluate.ts';
import type { Project } from '../../compose/project.ts';
import type { Term } from '../../compose/term.ts';
import type { Fn, Module, Op, Value } from '../../program.ts';
import type { Types } from '../../types.ts';
import { defineRule, type Finding } from '../define-rule.ts';

/** An agent that returns something other than its instruction (AGENT-03). */
export default defineRule({
  code: 'FLUE2305',
  severity: 'error',
  tier: 'S',
  check(project, report) {
    for (const { module, fn, value } of returnedByAgents(project)) {
      const wrong = judge(project.linker.evaluator, module, value);
      if (wrong) report(finding(module, value, wrong, fn));
    }
  },
  questions(project) {
    const { evaluator } = project.linker;
    return returnedByAgents(project)
      .filter(({ module, value }) => !judge(evaluator, module, value) && !isText(evaluator, module, value))
      .map(({ module, fn, value }) => ({
        module,
        answer(types, report) {
          const node = types.nodeOf(module, value);
          const wrong = node && judgeType(types, types.checker.getTypeAtLocation(node));
          if (wrong) report(finding(module, value, wrong, fn));
        },
      }));
  },
});

interface Wrong {
  readonly type: string;
  readonly always: boolean;
}

/** The values that agents, delegates included, may return. */
function returnedByAgents(project: Project): { module: Module; fn: Fn; value: Value }[] {
  const returned = new Map<Value, { module: Module; fn: Fn; value: Value }>();
  for (const { kind, module, fn } of project.roots) {
    if (kind === 'render' || fn.async || fn.generator) continue;
    for (const value of returnsOf(fn.body)) returned.set(value, { module, fn, value });
  }
  return [...returned.values()];
}

function finding(module: Module, value: Value, wrong: Wrong, fn: Fn): Finding {
  const returnsNull = value.k === 'literal' && value.value === null && fn.bodyRange.start < value.start;
  const keyword = module.text.slice(0, value.start).trimEnd();
  const edits = [{ start: keyword.length, end: value.end, text: '' }];
  return {
    module,
    range: value,
    message: `An agent returns its instruction string or nothing; this returns ${wrong.type}.`,
    severity: wrong.always ? 'error' : 'warning',
    fixes: returnsNull && keyword.endsWith('return') ? [{ title: 'Return nothing', safe: true, edits }] : [],
  };
}

/** Methods that only strings have, and one of lists that gives a string. */
const GIVES_TEXT =
  /^(?:join|trim|trimStart|trimEnd|replace|replaceAll|repeat|padStart|padEnd|toString|to(?:Locale)?(?:Upper|Lower)Case)$/;

/** A string or nothing whatever happens, so that no type needs to be asked for. */
function isText(evaluator: Evaluator, module: Module, value: Value): boolean {
  if (value.k === 'template' || value.k === 'undefined') return true;
  if (value.k === 'conditional')
    return isText(evaluator, module, value.yes) && isText(evaluator, module, value.no);
  if (value.k === 'binary' && value.op === '+')
    return isText(evaluator, module, value.left) || isText(evaluator, module, value.right);
  const callee = value.k === 'call' ? module.calls[value.call]!.callee : undefined;
  if (callee?.k === 'member' && GIVES_TEXT.test(callee.name)) return true;
  if (callee?.k === 'global' && callee.name === 'String') return true;
  const term = evaluator.evaluate(module, value);
  const options = term.t === 'choice' ? term.options : [term];
  return options.every(
    (option) =>
      option.t === 'template' ||
      (option.t === 'literal' && (typeof option.value === 'string' || option.value === undefined)),
  );
}

/** What is no string and not nothing. Promises are FLUE1006; what is not known is accepted (RULE-17). */
function judgeType({ api, checker }: Types, type: ts.Type): Wrong | undefined {
  const { TypeFlags } = api;
  const accepted = TypeFlags.StringLike | TypeFlags.Undefined | TypeFlags.Void;
  const unknown = TypeFlags.Any | TypeFlags.Unknown | TypeFlags.Never | TypeFlags.Instantiable;
  const members = type.isUnion() ? type.types : [type];
  if (members.some((member) => member.flags & unknown || member.getProperty('then'))) return undefined;
  const wrong = members.filter((member) => !(member.flags & accepted) && !isTextual(member));
  return wrong.length === 0
    ? undefined
    : { type: `a value of type ${checker.typeToString(type)}`, always: wrong.length === members.length };

  /** A branded string: an intersection with `string` in it. */
  function isTextual(member: ts.Type): boolean {
    return member.isIntersection() && member.types.some((part) => part.flags & TypeFlags.StringLike);
  }
}

/** Values of the function's own `return`s. */
function returnsOf(block: readonly Op[]): Value[] {
  return block.flatMap((op): Value[] => {
    switch (op.op) {
      case 'return':
        return op.value ? [op.value] : [];
      case 'branch':
        return [...returnsOf(op.yes), ...returnsOf(op.no)];
      case 'loop':
      case 'labelled':
        return returnsOf(op.body);
      case 'switch':
        return op.cases.flatMap((clause) => returnsOf(clause.body));
      case 'try':
        return [op.body, op.handler ?? [], op.finalizer ?? []].flatMap(returnsOf);
      default:
        return [];
    }
  });
}

function judge(evaluator: Evaluator, module: Module, value: Value): Wrong | undefined {
  if (value.k === 'jsx') return { type: 'JSX', always: true };
  if (value.k === 'bigint' || value.k === 'regexp')
    return { type: value.k === 'bigint' ? 'a bigint' : 'an object', always: true };
  if (value.k === 'conditional') {
    const wrong = judge(evaluator, module, value.yes) ?? judge(evaluator, module, value.no);
    return wrong && { ...wrong, always: false };
  }
  if (value.k === 'logical' && value.op === '&&' && isBoolean(value.left))
    return { type: 'a boolean on some paths', always: false };
  if (isBoolean(value)) return { type: 'a boolean', always: true };
  const type = typeName(evaluator.evaluate(module, value));
  return type === undefined ? undefined : { type, always: true };
}

function isBoolean(value: Value): boolean {
  if (value.k === 'unary') return value.op === '!';
  return value.k === 'binary' && /^(?:[!=]==?|[<>]=?|in|instanceof)$/.test(value.op);
}

function typeName(term: Term): string | undefined {
  switch (term.t) {
    case 'literal':
      if (term.value === null) return 'null';
      return typeof term.value === 'string' || term.value === undefined
        ? undefined
        : `a ${typeof term.value}`;
    case 'object':
      return 'an object';
    case 'array':
      return 'an array';
    case 'function':
    case 'class':
      return 'a function';
    default:
      return undefined;
  }
}
