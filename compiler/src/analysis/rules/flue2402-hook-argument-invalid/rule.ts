import type ts from 'typescript';
import { isKnown } from '../../compose/options.ts';
import type { Term } from '../../compose/term.ts';
import { writtenTypeOf } from '../../compose/written-types.ts';
import type { Types } from '../../types.ts';
import { defineRule, type TypeQuestion } from '../define-rule.ts';

type ArgumentCheck = (term: Term | undefined) => string | undefined;

const requiredName: ArgumentCheck = (term) => {
  if (!term) return 'the name is missing';
  if (term.t === 'literal')
    return typeof term.value === 'string' && term.value !== ''
      ? undefined
      : 'the name must be a non-empty string';
  return isKnown(term) ? 'the name must be a non-empty string' : undefined;
};
const callback: ArgumentCheck = (term) =>
  !term || (term.t !== 'function' && isKnown(term)) ? 'the callback must be a function' : undefined;
const definition =
  (what: string): ArgumentCheck =>
  (term) => {
    if (!term) return `the ${what} is missing`;
    return term.t !== 'object' && isKnown(term) ? `the ${what} must be a definition` : undefined;
  };

const ARGUMENTS: Readonly<Record<string, ArgumentCheck>> = {
  usePersistentState: requiredName,
  useDataWriter: requiredName,
  useAgentStart: callback,
  useAgentFinish: callback,
  useResponseStart: callback,
  useResponseFinish: callback,
  useTool: definition('tool'),
  useSubagent: definition('subagent'),
  useSandbox: (term) => (term ? undefined : 'the factory is missing'),
  useModel: (term) => {
    if (!term) return 'the model specifier is missing';
    return isKnown(term) && !(term.t === 'literal' && typeof term.value === 'string')
      ? 'the model specifier must be a string'
      : undefined;
  },
  useInstruction: (term) => {
    if (!term) return 'the text is missing';
    if (term.t === 'literal' && typeof term.value === 'string')
      return term.value.trim() === '' ? 'the text is blank' : undefined;
    return isKnown(term) ? 'the text must be a string' : undefined;
  },
  useSkill: (term) => {
    if (term?.t === 'asset' && !/(?:^|\/)SKILL\.md$/.test(term.specifier))
      return 'this import is a text; a skill is an imported SKILL.md';
    return definition('skill')(term);
  },
};

/** What a type must be for the hooks whose argument is more often computed than written there. */
const BY_TYPE: Readonly<Record<string, { readonly kind: 'string' | 'function'; readonly problem: string }>> =
  {
    useInstruction: { kind: 'string', problem: 'the text must be a string' },
    usePersistentState: { kind: 'string', problem: 'the name must be a non-empty string' },
    useDataWriter: { kind: 'string', problem: 'the name must be a non-empty string' },
    useAgentStart: { kind: 'function', problem: 'the callback must be a function' },
    useAgentFinish: { kind: 'function', problem: 'the callback must be a function' },
    useResponseStart: { kind: 'function', problem: 'the callback must be a function' },
    useResponseFinish: { kind: 'function', problem: 'the callback must be a function' },
  };

/** A required argument that the hook would refuse. */
export default defineRule({
  code: 'FLUE2402',
  severity: 'error',
  tier: 'S',
  check(project, report) {
    for (const { module, call, name } of project.apiCalls) {
      const check = ARGUMENTS[name];
      const [argument] = call.args;
      if (!check || argument?.spread) continue;
      const problem = check(argument && project.linker.evaluator.evaluate(module, argument.value));
      if (problem) report({ module, range: argument?.value ?? call, message: `${name}(): ${problem}.` });
    }
  },
  questions(project) {
    return project.apiCalls.flatMap(({ module, call, name }) => {
      const [argument] = call.args;
      const wanted = BY_TYPE[name];
      if (!wanted || !argument || argument.spread) return [];
      const term = project.linker.evaluator.evaluate(module, argument.value);
      if (isKnown(term) || term.t === 'template') return [];
      if (wanted.kind === 'string' && writtenTypeOf(project, module, argument.value) === 'string') return [];
      const answer: TypeQuestion['answer'] = (types, report) => {
        const node = types.nodeOf(module, argument.value);
        if (!node || !isNever(types, types.checker.getTypeAtLocation(node), wanted.kind)) return;
        report({ module, range: argument.value, message: `${name}(): ${wanted.problem}.` });
      };
      return [{ module, answer }];
    });
  },
});

/** Whether no value of the type is of the kind; what is not known may be (RULE-17). */
function isNever(types: Types, type: ts.Type, kind: 'string' | 'function'): boolean {
  const { TypeFlags } = types.api;
  const open =
    TypeFlags.Any | TypeFlags.Unknown | TypeFlags.Never | TypeFlags.Instantiable | TypeFlags.NonPrimitive;
  const parts = (type.isUnion() ? type.types : [type]).flatMap((one) =>
    one.isIntersection() ? one.types : [one],
  );
  return parts.every((part) => {
    if (part.flags & open || isOpenObject(types, part)) return false;
    return kind === 'string'
      ? !(part.flags & TypeFlags.StringLike)
      : !part.getProperty('call') && part.getCallSignatures().length === 0;
  });
}

/** `{}` takes a string and a function too. */
function isOpenObject({ api, checker }: Types, type: ts.Type): boolean {
  const isObject = Boolean(type.flags & api.TypeFlags.Object);
  return isObject && checker.getPropertiesOfType(type).length === 0 && type.getCallSignatures().length === 0;
}
