import { viewOf } from '../compose/parts.ts';
import type { Part, Project } from '../compose/project.ts';
import type { Finding, Rule } from '../rules/define-rule.ts';
import { type Attempts, attempt, breakingFile } from './attempts.ts';
import { type Found, foundAgain, type KeptFinding, keptFinding } from './kept-findings.ts';

/** What was found in a part, for as long as the part is the same. */
const checkedParts = new WeakMap<Part, { readonly rules: string; readonly found: readonly Found[] }>();

/** What several parts say of one place is one finding: a helper is not wrong once per caller (RULE-27). */
export function checkParts(project: Project, rules: readonly Rule[], attempts: Attempts): Found[] {
  const asked = rules.map(({ code }) => code).join();
  const all: Found[] = [];
  const seen = new Set<string>();
  for (const part of project.parts) {
    const found = checkPart(project, part, rules, asked, attempts);
    const isNew = found.map(({ rule, finding }) => !seen.has(placeOf(rule, finding)));
    all.push(...found.filter((_, index) => isNew[index]));
    for (const { rule, finding } of found) seen.add(placeOf(rule, finding));
  }
  return all;
}

function placeOf({ code }: Rule, { module, range }: Finding): string {
  return `${code} ${module.path} ${range.start} ${range.end}`;
}

function checkPart(
  project: Project,
  part: Part,
  rules: readonly Rule[],
  asked: string,
  attempts: Attempts,
): readonly Found[] {
  const known = checkedParts.get(part);
  if (known?.rules === asked) return known.found;
  const kept = recalled(project, part, rules, asked);
  if (kept) {
    checkedParts.set(part, { rules: asked, found: kept });
    return kept;
  }
  const found: Found[] = [];
  const view = viewOf(project, part);
  const before = attempts.failures.length;
  for (const rule of rules) {
    const run = () => rule.check(view, (finding) => found.push({ rule, finding }), {});
    attempt(rule, attempts, run, () => breakingFile(project, part.modules, rule, {}));
  }
  // A rule that broke says so every time.
  if (attempts.failures.length === before) {
    checkedParts.set(part, { rules: asked, found });
    project.partMemory?.keep(part, `found ${asked}`, found.map(keptFinding));
  }
  return found;
}

/** What an earlier run found in the same part. */
function recalled(
  { partMemory, graph }: Project,
  part: Part,
  rules: readonly Rule[],
  asked: string,
): readonly Found[] | undefined {
  const kept = partMemory?.recall<readonly KeptFinding[]>(part, `found ${asked}`);
  const found = kept?.map((each) => foundAgain(each, rules, graph));
  return found?.every((each) => each !== undefined) ? found : undefined;
}
