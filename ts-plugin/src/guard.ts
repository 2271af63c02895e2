import type { TypeScript } from '@flue/compiler/analysis';

/** Runs our part of an answer; whatever goes wrong in it, the editor gets `theirs` as they are (RULE-05). */
export type Guard = <T>(theirs: T, ours: () => T) => T;

export function createGuard(api: TypeScript, log: (line: string) => void): Guard {
  return (theirs, ours) => {
    try {
      return ours();
    } catch (error) {
      // The editor has taken its question back, and must hear that it was understood.
      if (error instanceof api.OperationCanceledException) throw error;
      log(error instanceof Error ? (error.stack ?? error.message) : String(error));
      return theirs;
    }
  };
}
