import type { Module } from './program.ts';

/** What a text says by itself: everything of a module but where it lies and where its imports lead (CACHE-02). */
export type FileFacts = Omit<Module, 'path' | 'text' | 'lineStarts' | 'resolutions'>;

/** Facts that a host keeps between runs. What it gives for a text is what lowering that text gives. */
export interface FactMemory {
  recallFacts(path: string, text: string): FileFacts | undefined;
  keepFacts(path: string, text: string, facts: FileFacts): void;
}
