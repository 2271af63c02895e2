import type { ApiCall } from '../../compose/entries.ts';
import { type Field, fieldsOf } from '../../compose/fields.ts';
import type { Project } from '../../compose/project.ts';
import { type ConfigFact, sourceOf } from '../../project-facts.ts';
import { defineRule, type Finding, type Report } from '../define-rule.ts';
import { looksLikeSecret } from './looks-like-secret.ts';

const STRING = /(['"`])((?:\\.|(?!\1)[^\\\n])*)\1/g;

/** Credentials in files that are committed (CFG-13, EFILE-03). What they say is printed nowhere. */
export default defineRule({
  code: 'FLUE5015',
  severity: 'warning',
  tier: 'S',
  check(project, report, { config, environment = [] }) {
    const complain = (at: Pick<Finding, 'module' | 'range'>, place: string) =>
      report({ ...at, message: `This looks like a credential in ${place}. Read it from the environment.` });
    if (config) checkConfig(config, report);
    for (const call of project.apiCalls) {
      for (const { module, value } of credentialFields(project, call)) {
        complain({ module, range: value }, `${call.name}()`);
      }
    }
    for (const file of environment) {
      const source = sourceOf(file);
      const [first] = file.values;
      if (first) complain({ module: source, range: first }, `${file.path}, which git tracks`);
    }
  },
});

function checkConfig(config: ConfigFact, report: Report): void {
  const module = sourceOf(config);
  for (const match of config.text.matchAll(STRING)) {
    if (!looksLikeSecret(match[2] ?? '')) continue;
    const range = { start: match.index, end: match.index + match[0].length };
    const message = 'This looks like a credential in the Flue config. Read it from the environment.';
    report({ module, range, message });
  }
}

/** Literal credentials of a provider or a connection. */
function credentialFields(project: Project, { module, call, name }: ApiCall): Field[] {
  if (name !== 'registerProvider' && name !== 'connectMcpServer') return [];
  const { evaluator } = project.linker;
  const options = evaluator.argumentsOf(module, call, new Map())[1];
  if (options?.t !== 'object') return [];
  const fields = fieldsOf(evaluator, options).byName;
  const headers = fields.get('headers')?.term;
  const sent = headers?.t === 'object' ? [...fieldsOf(evaluator, headers).byName.values()] : [];
  const authorization = sent.filter(({ key }) => /^authorization$/i.test(key));
  return [fields.get('apiKey'), fields.get('auth'), ...authorization].flatMap((field) =>
    field !== undefined && isSecret(field) ? [field] : [],
  );
}

function isSecret({ term }: Field): boolean {
  return term.t === 'literal' && typeof term.value === 'string' && looksLikeSecret(term.value);
}
