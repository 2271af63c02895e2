import type { Range, Value } from '../program.ts';
import type { Exec } from './flow-types.ts';
import { UNKNOWN } from './stability.ts';
import type { Decider } from './world.ts';

export function deciderOf(exec: Exec, test: Value | undefined, range: Range): Decider {
  const steadiness = test ? exec.linker.stability.ofValue(exec.module, test, exec.env) : UNKNOWN;
  return { steadiness, module: exec.module, range: test ?? range };
}

export function constantTruth(exec: Exec, test: Value): boolean | undefined {
  const term = exec.linker.evaluator.evaluate(exec.module, test, exec.env);
  if (term.t === 'literal') return Boolean(term.value);
  return term.t === 'object' || term.t === 'array' || term.t === 'function' ? true : undefined;
}
