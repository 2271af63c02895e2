import type { Graph } from '../compose/graph.ts';
import type { Module, Range } from '../program.ts';
import type { Finding, Rule } from '../rules/define-rule.ts';

/** A finding in a module, and the rule that made it. */
export interface Found {
  readonly rule: Rule;
  readonly finding: Finding;
}

/** The same as JSON. */
export interface KeptFinding extends Omit<Finding, 'module' | 'range' | 'related'> {
  readonly code: string;
  readonly place: KeptPlace;
  readonly related?: readonly { readonly place: KeptPlace; readonly message: string }[];
}

type KeptPlace = readonly [path: string, start: number, end: number];

export function keptFinding({ rule, finding }: Found): KeptFinding {
  const { module, range, related, ...rest } = finding;
  return {
    ...rest,
    code: rule.code,
    place: placeOf(finding),
    ...(related && { related: related.map((each) => ({ place: placeOf(each), message: each.message })) }),
  };
}

/** `undefined` when it speaks of what is not there: it was made of other modules or rules. */
export function foundAgain(
  { code, place, related, ...rest }: KeptFinding,
  rules: readonly Rule[],
  { modules }: Graph,
): Found | undefined {
  const rule = rules.find((candidate) => candidate.code === code);
  const at = ([path, start, end]: KeptPlace) => {
    const module = modules.get(path);
    return module && { module, range: { start, end } };
  };
  const here = at(place);
  const others = related?.map((each) => ({ ...at(each.place), message: each.message }));
  if (!rule || !here || others?.some(({ module }) => module === undefined)) return undefined;
  return {
    rule,
    finding: { ...rest, ...here, ...(others && { related: others as Finding['related'] }) } as Finding,
  };
}

function placeOf({
  module,
  range,
}: {
  readonly module: Pick<Module, 'path'>;
  readonly range: Range;
}): KeptPlace {
  return [module.path, range.start, range.end];
}
