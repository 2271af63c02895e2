import { perProject } from '../../compose/parts.ts';
import type { Project } from '../../compose/project.ts';
import { isNoSchema } from '../../compose/schema.ts';
import { partsWithoutJson, type SchemaPart, schemasOutOfSight } from '../../compose/schema-parts.ts';
import type { Term } from '../../compose/term.ts';
import type { Module, Range } from '../../program.ts';
import { partsWithoutJsonByType } from '../../schema-parts-by-type.ts';
import { defineRule, type Finding } from '../define-rule.ts';

const mountedIn = perProject(
  ({ apiCalls, linker }) =>
    new Set(
      apiCalls.flatMap(({ module, call, name }) => {
        const value = name === 'createAgentRouter' ? call.args[0]?.value : undefined;
        const target = value && linker.evaluator.evaluate(module, value);
        return target?.t === 'function' ? [target.module.functions[target.fn]!] : [];
      }),
    ),
);

/** Initial data that no HTTP client can send (TCLI-06). */
export default defineRule({
  code: 'FLUE4012',
  severity: 'error',
  tier: 'S',
  check(project, report) {
    for (const { term, severity } of schemasOf(project)) {
      for (const part of partsWithoutJson(project.linker.evaluator, term)) report(finding(part, severity));
    }
  },
  questions(project) {
    const { evaluator } = project.linker;
    return schemasOf(project).flatMap(({ severity, ...schema }) =>
      schemasOutOfSight(evaluator, schema)
        .filter(({ term }) => !isNoSchema(evaluator, term))
        .map(({ module, range, path }) => ({
          module,
          answer(types, report) {
            const node = types.nodeOf(module, range);
            const parts = node ? partsWithoutJsonByType(types, node, path) : [];
            for (const part of parts) report(finding({ ...part, module, range }, severity));
          },
        })),
    );
  },
});

interface InitialData {
  readonly module: Module;
  readonly value: Range;
  readonly term: Term;
  readonly severity: 'error' | 'warning';
}

function schemasOf(project: Project): InitialData[] {
  const mounted = mountedIn(project);
  return project.agents.flatMap(({ module, fn, statics }) =>
    statics
      .filter(({ name }) => name === 'initialData')
      .map(({ assignment: { value } }) => ({
        module,
        value,
        term: project.linker.evaluator.evaluate(module, value),
        severity: mounted.has(fn) ? ('error' as const) : ('warning' as const),
      })),
  );
}

function finding({ module, range, path, type }: SchemaPart, severity: InitialData['severity']): Finding {
  const place = path === '' ? 'initialData' : `initialData.${path}`;
  const message = `${place}: ${type} has no JSON form, so HTTP clients cannot create this agent.`;
  return { module, range, message, severity };
}
