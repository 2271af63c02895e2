import type { Manifest } from '@flue/runtime/internal';
import type { AgentFact } from '../analysis/summary.ts';
import { emitClient } from './client.ts';
import type { ContractSchemas } from './client-contract.ts';
import { emitEnv } from './env.ts';
import { emitRoutes } from './routes.ts';
import type { ToolResults } from './tool-results.ts';

export interface ApplicationContext {
  /** the generated folder, relative to the project root */
  readonly folder: string;
  readonly schemas: Omit<ContractSchemas, 'results'>;
  readonly results: ToolResults;
  /** how a file in the generated folder imports a module of the project */
  readonly specifierOf: (module: string) => string;
}

/** What an application may import besides its registration: routes, client and ambient types, by project path. */
export function emitApplicationModules(
  manifest: Manifest,
  facts: readonly AgentFact[],
  { folder, schemas, results, specifierOf }: ApplicationContext,
): [path: string, text: string][] {
  const byIdentity = new Map(facts.map((fact) => [fact.identity, fact]));
  const agents = manifest.agents.flatMap(({ accessor, identity, mounts }) => {
    const fact = byIdentity.get(identity);
    return fact ? [{ accessor, identity, mounts, fact }] : [];
  });
  return [
    [`${folder}/routes.ts`, emitRoutes(manifest, `${folder}/agents.ts`, specifierOf)],
    [`${folder}/client.ts`, emitClient(agents, { ...schemas, results })],
    [`${folder}/env.d.ts`, emitEnv(manifest)],
  ];
}
