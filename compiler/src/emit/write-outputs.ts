import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { NOTICE_PATTERN } from './compiler-version.ts';
import { createGeneratedFolder } from './generated-folder.ts';

/** One file to be written; `path` is absolute. */
export interface Output {
  readonly path: string;
  readonly content: string;
  /** a file that the project owns and we keep current: it bears no notice */
  readonly authored?: true;
}

/** A file of the same name that we did not write (GEN-05). */
export class NotGeneratedError extends Error {
  override readonly name = 'NotGeneratedError';
  readonly paths: readonly string[];

  constructor(paths: readonly string[]) {
    super(`not written by flue, so not overwritten: ${paths.join(', ')}`);
    this.paths = paths;
  }
}

/** The outputs whose bytes on disk differ from what they should be, with what stands there now. */
export function staleOutputs(
  outputs: readonly Output[],
): readonly (Output & { readonly present: string | undefined })[] {
  return outputs
    .map((output) => ({
      ...output,
      present: presentText(output.path),
    }))
    .filter(({ content, present }) => content !== present);
}

/**
 * Writes all outputs or none (EMIT-02, GEN-03) and returns the paths that changed; a file whose bytes stay is not
 * touched. A folder that is created gets a `.gitignore`: all in it is derived (EMIT-01).
 */
export function writeOutputs(folder: string, outputs: readonly Output[]): readonly string[] {
  const stale = staleOutputs(outputs);
  const foreign = stale.filter(
    ({ present, authored }) => !authored && present !== undefined && !isGenerated(present),
  );
  if (foreign.length > 0) throw new NotGeneratedError(foreign.map(({ path }) => path));

  createGeneratedFolder(folder);
  const temporary = (path: string) => `${path}.${process.pid}.tmp`;
  const replaced: (typeof stale)[number][] = [];
  try {
    for (const { path, content } of stale) {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(temporary(path), content);
    }
    for (const output of stale) {
      renameSync(temporary(output.path), output.path);
      replaced.push(output);
    }
  } catch (error) {
    for (const { path, present } of replaced) restore(path, present);
    for (const { path } of stale) rmSync(temporary(path), { force: true });
    throw error;
  }
  return stale.map(({ path }) => path);
}

/** What is no file has no text of ours either. */
function presentText(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  return stats.isFile() ? readFileSync(path, 'utf8') : '';
}

/** In the first line, or for JSON in the key that sorts first. */
function isGenerated(text: string): boolean {
  return NOTICE_PATTERN.test(text.slice(0, 200));
}

function restore(path: string, content: string | undefined): void {
  if (content === undefined) rmSync(path, { force: true });
  else writeFileSync(path, content);
}
