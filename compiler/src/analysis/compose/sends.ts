import type { Call, Module, Value } from '../program.ts';
import { writerOf } from './calls.ts';
import type { ObjectTerm } from './fields.ts';
import { perPart } from './parts.ts';
import type { Project } from './project.ts';
import { calledApi, NO_ENV, type Term } from './term.ts';

/** A call that sends, with what it sends, as far as both are in sight. */
export interface Send {
  readonly kind: 'dispatch' | 'handle' | 'self' | 'append';
  readonly module: Module;
  readonly call: Call;
  /** the request object of `dispatch` and of a handle */
  readonly request: ObjectTerm | undefined;
  /** the message itself, with the place to report */
  readonly message: { readonly term: Term; readonly value: Value; readonly module: Module } | undefined;
  /** the call of `init` and what it was given, for a handle */
  readonly handle:
    | {
        readonly agent: Term | undefined;
        readonly options: ObjectTerm | undefined;
        readonly made: Call;
      }
    | undefined;
}

/** By the modules of a part, which are another array as soon as anything that concerns them changed. */
const memo = new WeakMap<readonly Module[], readonly Send[]>();

/** Sends of the whole project, or of the part that is looked at. */
export function sendsOf(project: Project): readonly Send[] {
  if (project === project.whole) return sendsOfParts(project);
  const known = memo.get(project.modules) ?? findSends(project);
  memo.set(project.modules, known);
  return known;
}

const sendsOfParts = perPart(sendsOf);

function findSends(project: Project): readonly Send[] {
  return project.modules.flatMap((module) =>
    module.calls.flatMap((call) => {
      const send = sendAt(project, module, call);
      return send ? [send] : [];
    }),
  );
}

function sendAt(project: Project, module: Module, call: Call): Send | undefined {
  if (call.args.length === 0 || call.args.some((item) => item.spread)) return undefined;
  const { evaluator } = project.linker;
  const callee = evaluator.evaluate(module, call.callee);
  const argument = (index: number) => {
    const value = call.args[index]?.value;
    return value && { term: evaluator.evaluate(module, value), value, module };
  };
  const base = { module, call, request: undefined, message: undefined, handle: undefined };
  if (callee.t === 'api' && callee.name === 'dispatch') {
    const request = argument(1)?.term;
    return request?.t === 'object'
      ? { ...base, kind: 'dispatch', request, message: messageOf(project, request) }
      : undefined;
  }
  if (callee.t === 'member' && callee.name === 'dispatch' && calledApi(callee.object) === 'init') {
    const made = callee.object as Term & { t: 'call' };
    const [agent, options] = evaluator.argumentsOf(made.module, made.call, made.env);
    const payload = argument(0)!;
    const request = payload.term.t === 'object' ? payload.term : undefined;
    return {
      ...base,
      kind: 'handle',
      request,
      message: request ? messageOf(project, request) : payload,
      handle: { agent, options: options?.t === 'object' ? options : undefined, made: made.call },
    };
  }
  if (writerOf(callee) === 'useDispatchMessage') return { ...base, kind: 'self', message: argument(0) };
  return isAppend(project, module, call, callee)
    ? { ...base, kind: 'append', message: argument(0) }
    : undefined;
}

/** `append` of the context that an event hook hands to its callback. */
function isAppend(project: Project, module: Module, call: Call, callee: Term): boolean {
  if (
    callee.t !== 'member' ||
    callee.name !== 'append' ||
    callee.object.t !== 'param' ||
    callee.object.index !== 0
  )
    return false;
  const context = project.contexts.of(module, callee.object.fn);
  return (
    context.kind === 'outside' && /^in a use(?:Agent|Response)/.test(context.where) && call.args.length > 0
  );
}

function messageOf(project: Project, request: ObjectTerm): Send['message'] {
  for (const entry of request.value.entries) {
    if (entry.spread !== undefined || entry.key !== 'message') continue;
    const term = project.linker.evaluator.evaluate(request.module, entry.value, request.env ?? NO_ENV);
    return { term, value: entry.value, module: request.module };
  }
  return undefined;
}
