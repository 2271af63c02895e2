import type { Project } from '../compose/project.ts';
import type { Module, Range } from '../program.ts';

/** The first import of a `SKILL.md`, in the order of the modules. */
export function importOfSkill(
  project: Project,
  path: string,
): { readonly module: Module; readonly range: Range } | undefined {
  for (const module of project.modules) {
    const declaration = module.imports.find(({ specifier, typeOnly }) => {
      const resolution = module.resolutions[specifier];
      return !typeOnly && resolution?.kind === 'asset' && resolution.path === path;
    });
    if (declaration) return { module, range: declaration.specifierRange };
  }
  return undefined;
}
