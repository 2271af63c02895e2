import { NotStatic } from './not-static.ts';

export type ValibotFunction = (...args: readonly unknown[]) => unknown;

/** Calls Valibot itself, on static arguments; an asynchronous result has no JSON Schema (EVALS-03). */
export function runValibot(callee: ValibotFunction, args: readonly unknown[]): unknown {
  let result: unknown;
  try {
    result = callee(...args);
  } catch (error) {
    throw error instanceof NotStatic ? error : new NotStatic('opaque-call');
  }
  const isAsync = typeof result === 'object' && result !== null && 'async' in result && result.async === true;
  if (isAsync) throw new NotStatic('async-schema');
  return result;
}
