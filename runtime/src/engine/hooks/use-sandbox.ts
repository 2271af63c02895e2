import { SANDBOX_OPTION_FIELDS } from '../../contract/names.ts';
import { misuse } from '../../errors/flue-error.ts';
import { unknownField } from '../../errors/unknown-field.ts';
import type { SandboxFactory } from '../sandbox/session-tool.ts';
import { claim, frameOf } from './frame.ts';

export interface SandboxOptions {
  /** where the agent starts, instead of the environment's own directory; relative to that one (CWD-01) */
  cwd?: string;
}

/**
 * Gives the agent an environment of its own in place of the default one in memory. Called at most once per render. The
 * factory runs once per attempt, with what the attempt's first render gave it (HOOK-06); only whether the hook is called
 * is compared later, and a change swaps the environment before the next model call (SBXH-04).
 *
 * @throws Error for what is no sandbox factory, or for unknown or bad options (SBXH-01)
 */
export function useSandbox(factory: SandboxFactory, options: SandboxOptions = {}): void {
  const frame = frameOf('useSandbox');
  assertFactory(factory);
  assertOptions(options);
  claim(frame, 'useSandbox');
  frame.sandbox = { factory, ...(options.cwd !== undefined && { cwd: options.cwd }) };
}

function assertFactory(value: unknown): asserts value is SandboxFactory {
  const { createSessionEnv, createSandbox, tools } = (value ?? {}) as Record<string, unknown>;
  if (typeof (createSessionEnv ?? createSandbox) !== 'function') {
    throw misuse(
      'useSandbox() takes a sandbox factory: an object with createSessionEnv(), as virtual(), bash() and local() give it.',
      'FLUE2402',
    );
  }
  if (tools !== undefined && typeof tools !== 'function') {
    throw misuse('useSandbox(): `tools` of a sandbox factory must be a function.', 'FLUE2402');
  }
}

function assertOptions(options: unknown): asserts options is SandboxOptions {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw misuse('useSandbox(): options must be an object.', 'FLUE2401');
  }
  const problem = unknownField(options, SANDBOX_OPTION_FIELDS);
  if (problem) throw misuse(`useSandbox(): options ${problem}`, 'FLUE2401');
  const { cwd } = options as SandboxOptions;
  if (cwd !== undefined && (typeof cwd !== 'string' || cwd.trim() === '')) {
    throw misuse('useSandbox(): cwd must be a non-empty string.', 'FLUE2401');
  }
}
