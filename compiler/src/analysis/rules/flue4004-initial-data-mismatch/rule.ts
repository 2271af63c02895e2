import type ts from 'typescript';
import type { Agent } from '../../compose/agents.ts';
import { type Field, fieldsOf } from '../../compose/fields.ts';
import type { Project } from '../../compose/project.ts';
import { type Send, sendsOf } from '../../compose/sends.ts';
import type { Term } from '../../compose/term.ts';
import type { Types } from '../../types.ts';
import { defineRule } from '../define-rule.ts';

interface Question {
  readonly send: Send;
  readonly agent: Agent;
  readonly data: Field | undefined;
  /** `uid: null`: the send creates an instance or fails */
  readonly creates: boolean;
}

/** Initial data that the schema of the agent refuses (STATIC-03). */
export default defineRule({
  code: 'FLUE4004',
  severity: 'error',
  tier: 'T',
  check() {},
  questions(project) {
    const questions = sendsOf(project).flatMap((send) => questionAbout(project, send) ?? []);
    return questions.map(({ send, agent, data, creates }) => ({
      module: send.module,
      also: data ? [agent.module, data.module] : [agent.module],
      answer(types, report) {
        const schema = types.nodeOf(agent.module, schemaOf(agent)!.value);
        const input = schema && types.schemaSide(schema, 'input');
        const given = data && types.nodeOf(data.module, data.value);
        if (!input || (data && !given)) return;
        const detail = given ? misfit(types, given, input, '') : missing(types, input);
        if (detail === undefined) return;
        report({
          module: data?.module ?? send.module,
          range: data?.value ?? send.call,
          message: `initialData does not fit ${agent.binding.name}.initialData: ${detail}.`,
          severity: creates ? 'error' : 'warning',
        });
      },
    }));
  },
});

function questionAbout(project: Project, send: Send): Question | undefined {
  const { evaluator } = project.linker;
  if (send.kind !== 'dispatch' && send.kind !== 'handle') return undefined;
  const target =
    send.kind === 'dispatch'
      ? evaluator.argumentsOf(send.module, send.call, new Map())[0]
      : send.handle?.agent;
  const agent = agentOf(project, target);
  if (!agent || !schemaOf(agent) || !send.request) return undefined;
  const request = fieldsOf(evaluator, send.request);
  const conditions =
    send.kind === 'dispatch' ? request : send.handle?.options && fieldsOf(evaluator, send.handle.options);
  const uid = conditions?.byName.get('uid')?.term;
  const creates = uid?.t === 'literal' && uid.value === null;
  const data = request.byName.get('initialData');
  const isAbsent = !data || (data.term.t === 'literal' && data.term.value === undefined);
  if (isAbsent && !(creates && request.closed)) return undefined;
  return { send, agent, data: isAbsent ? undefined : data, creates };
}

function agentOf(project: Project, term: Term | undefined): Agent | undefined {
  if (term?.t !== 'function') return undefined;
  return project.whole.agents.find(({ module, fn }) => module === term.module && fn.id === term.fn);
}

function schemaOf(agent: Agent) {
  return agent.statics.findLast(({ name }) => name === 'initialData')?.assignment;
}

function missing({ api, checker }: Types, input: ts.Type): string | undefined {
  const accepts = api.TypeFlags.Undefined | api.TypeFlags.Any | api.TypeFlags.Unknown;
  const options = input.isUnion() ? input.types : [input];
  return options.some(({ flags }) => flags & accepts)
    ? undefined
    : `it is missing, and ${checker.typeToString(input)} is required`;
}

/** Literals are compared as they are written: their own types forget what they say. */
function misfit(types: Types, node: ts.Node, wanted: ts.Type, path: string): string | undefined {
  const { api, checker } = types;
  const any = api.TypeFlags.Any | api.TypeFlags.Unknown;
  if (wanted.flags & any) return undefined;
  if (api.isObjectLiteralExpression(node) && !wanted.isUnion() && wanted.flags & api.TypeFlags.Object)
    return misfitOfObject(types, node, wanted, path);
  const given = checker.getTypeAtLocation(node);
  if (given.flags & any || api.isObjectLiteralExpression(node) || api.isArrayLiteralExpression(node))
    return undefined;
  if (checker.isTypeAssignableTo(given, wanted)) return undefined;
  return `${path || 'it'} is ${checker.typeToString(given)}, not ${checker.typeToString(wanted)}`;
}

function misfitOfObject(
  types: Types,
  node: ts.ObjectLiteralExpression,
  wanted: ts.Type,
  path: string,
): string | undefined {
  const { api, checker } = types;
  const inner = (name: string) => (path === '' ? name : `${path}.${name}`);
  const names = new Set<string>();
  for (const property of node.properties) {
    // A spread or a computed key may bring whatever is missing.
    if (!property.name || api.isComputedPropertyName(property.name)) return undefined;
    const name = property.name.text;
    names.add(name);
    const expected = wanted.getProperty(name);
    const value = api.isPropertyAssignment(property) ? property.initializer : undefined;
    const found =
      expected &&
      value &&
      misfit(types, value, checker.getTypeOfSymbolAtLocation(expected, node), inner(name));
    if (found !== undefined) return found;
  }
  const absent = wanted
    .getProperties()
    .find(({ name, flags }) => !names.has(name) && !(flags & api.SymbolFlags.Optional));
  return absent && `${inner(absent.name)} is missing`;
}
