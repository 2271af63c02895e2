import { type Fields, fieldsOf, type ObjectTerm } from '../../compose/fields.ts';
import type { Fn, Module, Range } from '../../program.ts';
import { defineRule, type Repair } from '../define-rule.ts';

/** What of the context depends on which declaration. */
const NEEDS: Readonly<Record<string, { readonly field: string; readonly words: string }>> = {
  data: { field: 'input', words: 'input' },
  harness: { field: 'harness', words: 'harness: true' },
  step: { field: 'durable', words: 'durable: true' },
};

/** A tool that reads what it did not ask for. */
export default defineRule({
  code: 'FLUE3009',
  severity: 'error',
  tier: 'S',
  check(project, report) {
    for (const { term } of project.tools) {
      const fields = fieldsOf(project.linker.evaluator, term);
      const run = fields.byName.get('run')?.term;
      if (!fields.closed || run?.t !== 'function') continue;
      for (const read of readsOf(run.module, run.module.functions[run.fn]!)) {
        const need = NEEDS[read.name];
        if (!need || isDeclared(fields, need.field)) continue;
        report({
          module: run.module,
          range: read.range,
          message: `"${read.name}" is undefined here: the tool does not declare ${need.words}.`,
          severity: read.isUsed ? 'error' : 'hint',
          fixes: addFlag(term, run.module, need.field),
        });
      }
    }
  },
});

function isDeclared({ byName }: Fields, name: string): boolean {
  const field = byName.get(name);
  if (!field) return false;
  // A flag that is not written out may be true.
  return field.term.t !== 'literal' || (field.term.value !== false && field.term.value !== undefined);
}

/** Members of the first parameter: taken by its pattern, or read from it. The first read of each. */
function readsOf(module: Module, fn: Fn): { name: string; range: Range; isUsed: boolean }[] {
  const [param] = fn.params;
  if (!param) return [];
  const found = new Map<string, { name: string; range: Range; isUsed: boolean }>();
  for (const id of param.bindings) {
    const { path, fallback, range, reads } = module.bindings[id]!;
    const name = path?.[0];
    if (typeof name === 'string' && !fallback && !found.has(name))
      found.set(name, { name, range, isUsed: reads > 0 });
  }
  if (param.destructured) return [...found.values()];
  for (const { object, name, optional, start, end } of module.members) {
    if (object.k !== 'ref' || object.binding !== param.bindings[0] || found.has(name)) continue;
    // `ctx.data?.id` reads `data` itself without a question; what follows is guarded.
    if (!optional && !isGuarded(module, end)) found.set(name, { name, range: { start, end }, isUsed: true });
  }
  return [...found.values()];
}

function isGuarded(module: Module, end: number): boolean {
  return /^\s*\?[.?]/.test(module.text.slice(end, end + 8));
}

function addFlag(term: ObjectTerm, module: Module, field: string): Repair[] {
  if (field === 'input' || term.module !== module) return [];
  const start = term.value.start + 1;
  return [
    { title: `Add ${field}: true`, safe: true, edits: [{ start, end: start, text: ` ${field}: true,` }] },
  ];
}
