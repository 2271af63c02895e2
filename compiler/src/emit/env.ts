import type { Manifest } from '@flue/runtime/internal';
import { GENERATED_NOTICE } from './compiler-version.ts';

/**
 * Ambient types of the application (REG-05). A script and not a module: only so do its declarations of `virtual:` ids
 * stand for modules that no file holds.
 */
export function emitEnv({ agents }: Manifest): string {
  const names = (key: 'identity' | 'accessor') =>
    agents.map((agent) => JSON.stringify(agent[key])).join(' | ') || 'never';
  return `// ${GENERATED_NOTICE}
/* eslint-disable */

declare module 'virtual:flue/agents' {
  import type { Agent } from '@flue/runtime';
  export const agents: readonly { readonly identity: string; readonly agent: Agent }[];
  export const manifestHash: string;
}

declare module 'virtual:flue/app' {
  import type { Fetchable } from '@flue/runtime/routing';
  const app: Fetchable;
  export default app;
}

declare module 'virtual:flue/db' {
  import type { PersistenceAdapter } from '@flue/runtime/adapter';
  const db: PersistenceAdapter | undefined;
  export default db;
}

declare module 'virtual:flue/server' {}

declare module '*/SKILL.md' {
  import type { SkillReference } from '@flue/runtime';
  const skill: SkillReference;
  export default skill;
}

declare module '*.md' {
  const text: string;
  export default text;
}

interface FlueRegister {
  identity: ${names('identity')};
  accessor: ${names('accessor')};
}
`;
}
