import type { Module, Range } from '../../program.ts';
import { defineRule } from '../define-rule.ts';

interface Copy {
  readonly realPath: string;
  readonly module: Module;
  readonly range: Range;
}

/** Two runtimes in one graph: a hook of one is unknown to the frames of the other. Once per project. */
export default defineRule({
  code: 'FLUE5003',
  severity: 'error',
  tier: 'G',
  scope: 'project',
  check(project, report) {
    const [first, ...others] = project.modules.flatMap(copiesOf);
    const second = others.find(({ realPath }) => realPath !== first?.realPath);
    if (!first || !second) return;
    report({
      module: second.module,
      range: second.range,
      message: `Two copies of @flue/runtime are loaded (${first.realPath}, ${second.realPath}). Deduplicate them.`,
      related: [
        { module: first.module, range: first.range, message: `this import leads to ${first.realPath}` },
      ],
    });
  },
});

const copies = new WeakMap<Module, readonly Copy[]>();

function copiesOf(module: Module): readonly Copy[] {
  const known = copies.get(module) ?? findCopies(module);
  copies.set(module, known);
  return known;
}

function findCopies(module: Module): Copy[] {
  return module.imports.flatMap(({ specifier, specifierRange, typeOnly }) => {
    const resolution = typeOnly ? undefined : module.resolutions[specifier];
    if (resolution?.kind !== 'flue' || resolution.realPath === undefined) return [];
    return [{ realPath: resolution.realPath, module, range: specifierRange }];
  });
}
