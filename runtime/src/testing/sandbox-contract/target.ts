import type { ExpectStatic } from 'vitest';
import type { SessionEnv } from '../../ports/sandbox.ts';

/** An environment with an empty working directory, and what becomes of it after the test. */
export interface SandboxTarget {
  create(): Promise<SessionEnv>;
  cleanup?(env: SessionEnv): Promise<void>;
}

/** What a group of scenarios is written with. */
export interface SandboxSuite {
  readonly expect: ExpectStatic;
  scenario(title: string, body: (env: SessionEnv) => Promise<void>): void;
}
