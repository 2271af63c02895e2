import type * as v from 'valibot';
import type { Agent } from '../engine/agent.ts';

/** What a send may carry to create an instance of the agent: its schema's input, `unknown` without one (TCLI-06). */
export type InitialDataOf<A extends Agent> = A extends {
  readonly initialData: infer S extends v.GenericSchema;
}
  ? v.InferInput<S>
  : unknown;

/** In order: continue; continue or create; create only (TCLI-07). */
export type SendCondition<D> =
  | { readonly uid: string; readonly initialData?: undefined }
  | { readonly uid?: undefined; readonly initialData?: D }
  | ({ readonly uid: null } & RequiredUnlessOptional<D>);

type RequiredUnlessOptional<T> = undefined extends T
  ? { readonly initialData?: T }
  : { readonly initialData: T };
