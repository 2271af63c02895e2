import type { Call, Module } from '../program.ts';
import type { Project } from './project.ts';
import { isRender } from './renders.ts';

/** Whether the code that makes a call runs during a render: by its context, or because its function reaches hooks. */
export function runsInRender(project: Project, module: Module, call: Pick<Call, 'owner'>): boolean {
  const fn = module.functions[call.owner]!;
  return fn.form !== 'module' && isRender(project, module, fn);
}
