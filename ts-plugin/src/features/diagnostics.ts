import type { Diagnostic, Severity, Span, TypeScript } from '@flue/compiler/analysis';
import type ts from 'typescript';
import type { Checker, Findings } from '../checker.ts';
import type { Guard } from '../guard.ts';
import { numberOf } from './code-number.ts';

const SYNTAX = 'FLUE5001';

type Diagnostics = Pick<
  ts.LanguageService,
  'getSyntacticDiagnostics' | 'getSemanticDiagnostics' | 'getSuggestionDiagnostics'
>;

/** Findings beside TypeScript's own: errors and warnings as problems, the rest as suggestions. */
export function diagnosticsFeature(
  api: TypeScript,
  service: ts.LanguageService,
  checker: Checker,
  guard: Guard,
): Diagnostics {
  // The array is the editor's own, which it may keep and compare: ours is a new one.
  const withOurs = <T extends ts.Diagnostic>(
    theirs: T[],
    fileName: string,
    wanted: (finding: Diagnostic) => boolean,
  ) =>
    guard<(T | ts.DiagnosticWithLocation)[]>(theirs, () => {
      const findings = checker.findingsOf(fileName);
      const ours = findings?.list.filter(wanted) ?? [];
      return ours.length === 0 ? theirs : [...theirs, ...ours.map((it) => toTypeScript(api, it, findings!))];
    });

  return {
    getSyntacticDiagnostics(fileName) {
      const theirs = service.getSyntacticDiagnostics(fileName);
      // What we call a syntax error is one to TypeScript too, so a sound file costs nothing here.
      return theirs.length === 0 ? theirs : withOurs(theirs, fileName, ({ code }) => code === SYNTAX);
    },
    getSemanticDiagnostics: (fileName) =>
      withOurs(
        service.getSemanticDiagnostics(fileName),
        fileName,
        ({ code, severity }) => code !== SYNTAX && !isSuggestion(severity),
      ),
    getSuggestionDiagnostics: (fileName) =>
      withOurs(service.getSuggestionDiagnostics(fileName), fileName, ({ severity }) =>
        isSuggestion(severity),
      ),
  };
}

/** Editors show the category `message` as an error, so an info is a suggestion too. */
function isSuggestion(severity: Severity): boolean {
  return severity === 'info' || severity === 'hint';
}

function toTypeScript(
  api: TypeScript,
  { code, severity, message, span, related }: Diagnostic,
  { treeOf }: Findings,
): ts.DiagnosticWithLocation {
  const { DiagnosticCategory: category } = api;
  const number = numberOf(code);
  const at = ({ path, start, end }: Span) => ({ file: treeOf(path), start, length: end - start });
  return {
    ...at(span),
    code: number,
    source: 'flue',
    category:
      severity === 'error' ? category.Error : severity === 'warning' ? category.Warning : category.Suggestion,
    messageText: message,
    relatedInformation: related.map((place) => ({
      ...at(place.span),
      code: number,
      category: category.Message,
      messageText: place.message,
    })),
  };
}
