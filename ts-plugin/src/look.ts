import { type Analysis, type AnalysisOptions, analyse, type Diagnostic } from '@flue/compiler/analysis';
import type { EditorHost } from './host.ts';

type Lowered = Analysis['lowered'][number];

/** The result of one analysis of one project, and what the next one can build on. All maps are by project path. */
export interface Look {
  readonly startFiles: readonly string[];
  readonly settings: AnalysisOptions;
  readonly lowered: ReadonlyMap<string, Lowered>;
  /** what each file last said while it could be parsed (RULE-14) */
  readonly lastGood: ReadonlyMap<string, Lowered>;
  /** in the order of every report (RULE-06) */
  readonly findings: ReadonlyMap<string, readonly Diagnostic[]>;
  /** rules that broke */
  readonly failures: Analysis['failures'];
  /** what the next look takes over of files that no edit concerns (CACHE-03) */
  readonly analysis: Analysis;
}

/** Analyses what is not known from before, which is used as far as imports still lead where they led (`isSameShape`). */
export function lookAgain(
  host: EditorHost,
  startFiles: readonly string[],
  settings: AnalysisOptions,
  before: Look | undefined,
  isSameShape: boolean,
): Look {
  const known = before && isSameShape ? host.stillTrue(before.lowered) : new Map<string, Lowered>();
  if (known.size === before?.lowered.size) {
    const asked = JSON.stringify([startFiles, settings]);
    if (asked === JSON.stringify([before.startFiles, before.settings])) return before;
  }
  const analysis = analyse(startFiles, host, { ...settings, known, before: before?.analysis });
  const lastGood = new Map<string, Lowered>();
  for (const module of analysis.lowered) {
    const good = module.problems.length === 0 ? module : before?.lastGood.get(module.path);
    if (good !== undefined) lastGood.set(module.path, good);
  }
  const diagnostics = withLastGoodFacts(analysis, lastGood, (facts) =>
    analyse(startFiles, host, { ...settings, known: facts }),
  );
  return {
    startFiles,
    settings,
    lowered: new Map(analysis.lowered.map((module) => [module.path, module])),
    lastGood,
    findings: byPath(diagnostics),
    failures: analysis.failures,
    analysis,
  };
}

/** A file that is being typed in has its syntax error and nothing else; the others see what it said before (RULE-14). */
function withLastGoodFacts(
  { diagnostics, lowered }: Analysis,
  lastGood: ReadonlyMap<string, Lowered>,
  analyseWith: (facts: ReadonlyMap<string, Lowered>) => Analysis,
): readonly Diagnostic[] {
  const facts = new Map(lowered.map((module) => [module.path, lastGood.get(module.path) ?? module]));
  const broken = lowered.filter((module) => facts.get(module.path) !== module);
  if (broken.length === 0) return diagnostics;
  const paths = new Set(broken.map(({ path }) => path));
  return [
    ...diagnostics.filter(({ span }) => paths.has(span.path)),
    ...analyseWith(facts).diagnostics.filter(({ span }) => !paths.has(span.path)),
  ];
}

function byPath(diagnostics: readonly Diagnostic[]): Map<string, Diagnostic[]> {
  const groups = new Map<string, Diagnostic[]>();
  for (const diagnostic of diagnostics) {
    const group = groups.get(diagnostic.span.path);
    if (group) group.push(diagnostic);
    else groups.set(diagnostic.span.path, [diagnostic]);
  }
  return groups;
}
