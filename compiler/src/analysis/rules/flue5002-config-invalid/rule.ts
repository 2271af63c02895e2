import type { Range } from '../../program.ts';
import { type ConfigFact, sourceOf } from '../../project-facts.ts';
import { suggest } from '../../suggest.ts';
import { defineRule, type Repair } from '../define-rule.ts';

/** The faults of the configuration, as the host that reads it has found them (CFG-04). */
export default defineRule({
  code: 'FLUE5002',
  severity: 'error',
  tier: 'S',
  check(_project, report, { config }) {
    if (!config) return;
    for (const { field, problem } of config.faults) {
      const range = placeOf(config, field);
      report({
        module: sourceOf(config),
        range,
        message: `flue config: ${field === '' ? '' : `${field} `}${problem.replace(/\.$/, '')}.`,
        fixes: respell(config, range, problem),
      });
    }
  },
});

/** The last step of the field's path, as a key; the start of the file where it is not written out. */
function placeOf({ text }: ConfigFact, field: string): Range {
  let at = 0;
  let range: Range = { start: 0, end: 0 };
  for (const step of field.split('.').filter((part) => !/^\d+$/.test(part))) {
    const key = new RegExp(`(?<![\\w$-])(['"]?)${step.replace(/[^\w-]/g, '\\$&')}\\1(?=\\s*:)`, 'g');
    key.lastIndex = at;
    const found = key.exec(text);
    if (!found) return range;
    range = { start: found.index, end: found.index + found[0].length };
    at = range.end;
  }
  return range;
}

/** The host's own suggestion, in the quotes of the author. */
function respell({ text }: ConfigFact, { start, end }: Range, problem: string): Repair[] {
  const meant = /did you mean "([^"]+)"/.exec(problem)?.[1];
  const written = text.slice(start, end);
  if (meant === undefined || suggest(written.replace(/['"]/g, ''), [meant]) === undefined) return [];
  const replacement = written.replace(/[^'"]+/, meant);
  return [{ title: `Write ${meant}`, safe: true, edits: [{ start, end, text: replacement }] }];
}
