import { DIRECTIVE } from '../../find.ts';
import { defineRule } from '../define-rule.ts';

/** The directive in a place where JavaScript sees an ordinary string. */
export default defineRule({
  code: 'FLUE1001',
  severity: 'error',
  tier: 'S',
  check(project, report) {
    for (const module of project.modules) {
      for (const { text, form, place, start, end } of module.directives) {
        if (text !== DIRECTIVE || form !== 'plain' || place === 'prologue') continue;
        report({
          module,
          range: { start, end },
          message:
            "'use agent' does nothing here. Put it above every import so this module's agents register.",
          fixes: [
            {
              title: "Move 'use agent' to the top",
              safe: true,
              edits: [
                ...(module.marked ? [] : [{ ...topOf(module.text), text: "'use agent';\n" }]),
                { start, end: endOfLine(module.text, end), text: '' },
              ],
            },
          ],
        });
      }
    }
  },
});

/** After a shebang, before everything else. */
function topOf(text: string): { start: number; end: number } {
  const start = text.startsWith('#!') ? text.indexOf('\n') + 1 : 0;
  return { start, end: start };
}

function endOfLine(text: string, from: number): number {
  const rest = /^[ \t]*\r?\n/.exec(text.slice(from));
  return rest ? from + rest[0].length : from;
}
