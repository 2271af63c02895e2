import type { ManifestAgent } from '@flue/runtime/internal';
import type { AgentFact } from '../analysis/summary.ts';
import { type ContractSchemas, printContract } from './client-contract.ts';
import { GENERATED_NOTICE } from './compiler-version.ts';
import { sha256 } from './hashes.ts';

/** An agent as the client names it: its place in the application, and what is known of it. */
export interface ClientAgent extends Pick<ManifestAgent, 'accessor' | 'identity' | 'mounts'> {
  readonly fact: AgentFact;
}

/**
 * The typed client, over HTTP and in process (TCLI-01). It imports the client's entry and nothing else, and changes only
 * when the contract that it prints does (TCLI-02, TCLI-03, TCLI-16).
 */
export function emitClient(agents: readonly ClientAgent[], schemas: ContractSchemas): string {
  const body = printBody(agents, schemas);
  return [
    `// ${GENERATED_NOTICE}`,
    '/* eslint-disable */',
    `// Contract sha256:${sha256(body)}`,
    '',
    body,
  ].join('\n');
}

function printBody(agents: readonly ClientAgent[], schemas: ContractSchemas): string {
  const mounted = agents.filter(({ mounts }) => mounts.length > 0);
  const mountedKeys = mounted.map(({ accessor }) => JSON.stringify(accessor)).join(' | ') || 'never';
  const connect = `flue.Connect<Agents, ${mountedKeys}>`;
  return [
    "import * as flue from '@flue/runtime/client';",
    '',
    ...agents.map(({ fact, accessor }) => printContract(fact, accessor, schemas)),
    ...block('export interface Agents', agents, ({ accessor }) => [
      `readonly ${accessor}: flue.AgentAccessor<${accessor}Contract>;`,
    ]),
    ...block('const places: flue.AgentPlaces =', agents, ({ accessor, identity, mounts: [mount] }) => {
      const path = mount ? `, path: ${JSON.stringify(mount.path)}` : '';
      return [`${accessor}: { identity: ${JSON.stringify(identity)}${path} },`];
    }),
    '/** `connect({ baseUrl })` over HTTP, `connect(inProcess())` within the server. */',
    `export const connect: ${connect} = flue.createConnect(places);`,
    '',
    ...mounted.flatMap(({ accessor, identity }) => [
      `export const ${accessor}: flue.AgentAccessor<${accessor}Contract> = flue.pageAccessor(`,
      `  ${JSON.stringify(identity)},`,
      `  (baseUrl) => connect({ baseUrl }).${accessor},`,
      ');',
      '',
    ]),
  ].join('\n');
}

function block<T>(head: string, items: readonly T[], lines: (item: T) => string[]): string[] {
  const end = head.endsWith('=') ? '};' : '}';
  return [`${head} {`, ...items.flatMap(lines).map((line) => `  ${line}`), end, ''];
}
