import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { canonicalJson } from '../../contract/canonical-json.ts';
import { misuse } from '../../errors/flue-error.ts';
import type { ModelEnd, ModelEvent } from '../../ports/model-gateway.ts';
import type { TapeRequest } from './tape-request.ts';

/** One recorded call. */
export interface TapeEntry {
  /** SHA-256 of the request, before redaction */
  readonly key: string;
  /** for people, and to say what a miss differs in */
  readonly request: TapeRequest;
  /** the deltas as they came, and the end */
  readonly events: readonly Exclude<ModelEvent, ModelEnd>[];
  readonly end: Omit<ModelEnd, 'cause' | 'envVar'>;
}

interface TapeFile {
  readonly version: 1;
  readonly entries: readonly TapeEntry[];
}

/** The entries of a file, none for one that is not there. Throws, naming the file, for one that is no tape. */
export async function readTape(file: string): Promise<TapeEntry[]> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ENOENT') return [];
    throw misuse(`the cassette ${file} cannot be read: ${(error as Error).message}`, undefined, {
      cause: error,
    });
  }
  const tape = parsed(text) as Partial<TapeFile> | undefined;
  if (tape?.version !== 1 || !Array.isArray(tape.entries)) {
    throw misuse(`${file} is no cassette of version 1. Record it again with mode 'record'.`);
  }
  return tape.entries as TapeEntry[];
}

/** As a whole or not at all: a process that dies on the way leaves the former file. */
export async function writeTape(file: string, entries: readonly TapeEntry[]): Promise<void> {
  await writeJson(file, { version: 1, entries });
}

export async function writeJson(file: string, value: unknown): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  const draft = `${file}.${randomUUID()}.tmp`;
  await writeFile(draft, canonicalJson(value));
  await rename(draft, file);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
