import { isKnown } from '../../compose/options.ts';
import type { Term } from '../../compose/term.ts';
import { defineRule } from '../define-rule.ts';

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
});
