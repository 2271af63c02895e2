import type { ExpectStatic } from 'vitest';
import { execScenarios } from './exec.ts';
import { fileScenarios } from './files.ts';
import { pathScenarios } from './paths.ts';
import type { SandboxSuite, SandboxTarget } from './target.ts';

/** The parts of Vitest that the suite is written with. */
export interface SandboxTestRunner {
  describe(title: string, body: () => void): void;
  it(title: string, body: () => Promise<void>): void;
  readonly expect: ExpectStatic;
}

const GROUPS = { paths: pathScenarios, files: fileScenarios, exec: execScenarios } as const;

/**
 * Registers the contract of an environment (SAPI-07): paths, file verbs and commands. Without a runner it takes Vitest's,
 * which is loaded only then, so await the call at the top level of a test file.
 */
export async function defineSandboxContractTests(
  name: string,
  target: SandboxTarget | SandboxTarget['create'],
  runner?: SandboxTestRunner,
): Promise<void> {
  const { describe, it, expect } = runner ?? (await import('vitest'));
  const { create, cleanup }: SandboxTarget = typeof target === 'function' ? { create: target } : target;
  const suite: SandboxSuite = {
    expect,
    scenario: (title, body) =>
      it(title, async () => {
        const env = await create();
        try {
          await body(env);
        } finally {
          await env.dispose?.();
          await cleanup?.(env);
        }
      }),
  };
  describe(name, () => {
    for (const [group, scenarios] of Object.entries(GROUPS)) describe(group, () => scenarios(suite));
  });
}
