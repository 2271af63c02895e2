import type { Diagnostic, Severity, Span, TypeScript } from '@flue/compiler/analysis';
import type ts from 'typescript';
import type { Checker, Findings } from '../checker.ts';

/** Flue's numbers stand far above TypeScript's own (RULE-34). */
const FIRST_CODE = 700_000;
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
  log: (line: string) => void,
): Diagnostics {
  /** Whatever goes wrong on our side, the editor keeps what it had; its own array is never touched (RULE-05). */
  const withOurs = <T extends ts.Diagnostic>(
    theirs: T[],
    fileName: string,
    wanted: (finding: Diagnostic) => boolean,
  ): (T | ts.DiagnosticWithLocation)[] => {
    try {
      const findings = checker.findingsOf(fileName);
      if (findings === undefined) return theirs;
      const ours = findings.list.filter(wanted).map((finding) => toTypeScript(api, finding, findings));
      return ours.length === 0 ? theirs : [...theirs, ...ours];
    } catch (error) {
      if (error instanceof api.OperationCanceledException) throw error;
      log(error instanceof Error ? (error.stack ?? error.message) : String(error));
      return theirs;
    }
  };

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
  const number = FIRST_CODE + Number(code.slice('FLUE'.length));
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
