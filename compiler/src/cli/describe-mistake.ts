import { FlueConfigError } from '@flue/runtime/config';
import { ProjectError } from '../project/project-error.ts';
import { describeConfigError } from './open-project.ts';

/** What a user can mend, in its own words; `undefined` for a fault of ours. */
export function describeMistake(error: unknown): string | undefined {
  if (error instanceof FlueConfigError) return describeConfigError(error);
  return error instanceof ProjectError ? `flue: ${error.message}\n` : undefined;
}
