import type { Diagnostic } from '../analysis/diagnostic.ts';
import type { Compilation } from '../compile.ts';
import { applyFixes } from '../project/apply-fixes.ts';
import { writeFixed } from '../project/write-fixed.ts';
import { unifiedDiff } from '../report/unified-diff.ts';

/** A repair may uncover the next finding; more passes than this are a circle (CHK-08). */
const PASSES = 10;

export interface FixResult {
  /** the state after the last pass */
  readonly compilation: Compilation;
  /** repairs by file */
  readonly repaired: ReadonlyMap<string, number>;
  /** files that changed on disk meanwhile and were left alone */
  readonly left: ReadonlySet<string>;
}

/** Applies safe repairs to the files on disk until none is left. */
export function fixFiles(
  root: string,
  compile: (changed: readonly string[]) => Compilation,
  concerns: (diagnostic: Diagnostic) => boolean,
): FixResult {
  const repaired = new Map<string, number>();
  const left = new Set<string>();
  let compilation = compile([]);
  for (let pass = 0; pass < PASSES; pass++) {
    const findings = compilation.diagnostics.filter(({ span }) => !left.has(span.path)).filter(concerns);
    const files = applyFixes(findings, compilation.sourceText);
    if (files.length === 0) break;
    for (const file of files) {
      if (writeFixed(root, file)) repaired.set(file.path, (repaired.get(file.path) ?? 0) + file.repairs);
      else left.add(file.path);
    }
    compilation = compile(files.map(({ path }) => path));
  }
  return { compilation, repaired, left };
}

/** The same as a diff of the first pass, with nothing written. */
export function fixesAsDiff(
  compilation: Pick<Compilation, 'diagnostics' | 'sourceText'>,
  concerns: (diagnostic: Diagnostic) => boolean,
): string {
  return applyFixes(compilation.diagnostics.filter(concerns), compilation.sourceText)
    .map(({ path, before, edits }) => unifiedDiff(path, before, edits))
    .join('');
}

/** What was changed and what was not, for stderr. */
export function describeFixes({ repaired, left }: FixResult): string {
  const lines = [
    ...[...repaired].map(
      ([path, count]) => `fixed ${count} ${count === 1 ? 'finding' : 'findings'} in ${path}`,
    ),
    ...[...left].map((path) => `left ${path} alone: it changed meanwhile`),
  ];
  return lines.map((line) => `flue: ${line}.\n`).join('');
}
