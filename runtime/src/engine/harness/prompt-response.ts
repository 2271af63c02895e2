import type { PromptUsage } from '../../ports/model-shapes.ts';

/** A model by the two halves of its specifier, as written (SPEC-11). */
export interface PromptModel {
  provider: string;
  id: string;
}

/** What a prompt without `result` resolves with (HARN-09). */
export interface PromptResponse {
  /** the last text of the model in this operation, `''` without any */
  text: string;
  /** every model call of the operation, delegated tasks and compactions included (USAGE-02) */
  usage: PromptUsage;
  model: PromptModel;
}

/** What a prompt with `result` resolves with: `data` is the parsed output of the schema (RES-03). */
export interface PromptResultResponse<T> {
  data: T;
  usage: PromptUsage;
  model: PromptModel;
}

/** SPEC-01: the id may hold more slashes. */
export function promptModel(specifier: string): PromptModel {
  const slash = specifier.indexOf('/');
  return { provider: specifier.slice(0, slash), id: specifier.slice(slash + 1) };
}
