import { type Diagnostic, type Fix, rules, type TypeScript } from '@flue/compiler/analysis';
import type ts from 'typescript';
import type { Checker, Findings } from '../checker.ts';
import type { Guard } from '../guard.ts';
import { numberOf } from './code-number.ts';
import { suppressionOf } from './suppression.ts';

type CodeFixes = Pick<ts.LanguageService, 'getCodeFixesAtPosition' | 'getSupportedCodeFixes'>;

/** What repairs a finding, and what silences it with a reason (RULE-36). */
export function codeFixesFeature(
  api: TypeScript,
  service: ts.LanguageService,
  checker: Checker,
  guard: Guard,
): CodeFixes {
  const actionsFor = (finding: Diagnostic, findings: Findings, newLine: string) => {
    const suppression = suppressionOf(api, finding, findings.treeOf(finding.span.path), newLine);
    const fixes = suppression === undefined ? finding.fixes : [...finding.fixes, suppression];
    return fixes.map((fix) => toTypeScript(finding.code, fix, findings));
  };

  return {
    getCodeFixesAtPosition(fileName, start, end, errorCodes, ...settings) {
      const theirs = service.getCodeFixesAtPosition(fileName, start, end, errorCodes, ...settings);
      return guard(theirs, () => {
        const findings = checker.findingsOf(fileName);
        const asked = findings?.list.filter(
          ({ code, span }) => errorCodes.includes(numberOf(code)) && span.start <= end && start <= span.end,
        );
        if (findings === undefined || !asked?.length) return theirs;
        const [{ newLineCharacter: newLine = '\n' }] = settings;
        return [...theirs, ...asked.flatMap((finding) => actionsFor(finding, findings, newLine))];
      });
    },
    getSupportedCodeFixes: (fileName) => [
      ...service.getSupportedCodeFixes(fileName),
      ...rules.map(({ code }) => String(numberOf(code))),
    ],
  };
}

function toTypeScript(code: string, { title, edits }: Fix, { treeOf }: Findings): ts.CodeFixAction {
  const paths = [...new Set(edits.map(({ path }) => path))];
  return {
    fixName: code,
    description: title,
    changes: paths.map((path) => ({
      fileName: treeOf(path).fileName,
      textChanges: edits
        .filter((edit) => edit.path === path)
        .map(({ start, end, text }) => ({ span: { start, length: end - start }, newText: text })),
    })),
  };
}
