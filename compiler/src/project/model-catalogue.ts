import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ModelInfo } from '../analysis/host.ts';
import { noteUnrepeatable } from './disk.ts';
import { installedVersion } from './package-info.ts';

/** What the runtime that a project has installed knows of models; loaded when a literal specifier has to be judged. */
export interface ModelCatalogue {
  /** What is known by now, and `undefined` where nothing was looked up; another function once something was. */
  known(): (specifier: string) => ModelInfo | undefined;
  /** Look up what was asked in vain. True when there is something to report about it. */
  lookUp(): Promise<boolean>;
  /** for a trace: which runtime and catalogue have answered */
  noteWhatItRestsOn(): void;
}

interface Runtime {
  resolveModelInfo(specifier: string): Promise<{ provider: string; id: string; source: string }>;
}

const RUNTIME = '@flue/runtime';
const CATALOGUE = '@earendil-works/pi-ai';
const PROBLEMS: Readonly<Record<string, 'unknown-provider' | 'unknown-model'>> = {
  unknown_provider: 'unknown-provider',
  unknown_model: 'unknown-model',
};

/** `root` is absolute. Without an installed runtime nothing is known, so that the rules about models are silent. */
export function openModelCatalogue(root: string): ModelCatalogue {
  const answers = new Map<string, ModelInfo | undefined>();
  const unanswered = new Set<string>();
  const answering = () => (specifier: string) => {
    if (!answers.has(specifier)) unanswered.add(specifier);
    return answers.get(specifier);
  };
  let known = answering();
  let runtime: LoadedRuntime | undefined;
  return {
    known: () => known,
    async lookUp() {
      const specifiers = [...unanswered];
      unanswered.clear();
      if (specifiers.length === 0) return false;
      runtime = await loadRuntime(root);
      for (const specifier of specifiers) {
        answers.set(specifier, runtime && (await answerOf(runtime, specifier)));
      }
      const isTold = specifiers.some((specifier) => answers.get(specifier)?.ok === false);
      if (isTold) known = answering();
      return isTold;
    },
    noteWhatItRestsOn() {
      if (answers.size === 0) return;
      if (runtime !== undefined) installedVersion(runtime.entry, CATALOGUE);
      // Installed and yet not to be loaded: a build may bring it at any time.
      else if (installedVersion(root, RUNTIME) !== undefined) noteUnrepeatable();
    },
  };
}

interface LoadedRuntime extends Runtime {
  readonly entry: string;
  readonly catalogueVersion: string | undefined;
}

async function loadRuntime(root: string): Promise<LoadedRuntime | undefined> {
  try {
    const entry = createRequire(join(root, 'package.json')).resolve(RUNTIME);
    const { resolveModelInfo }: Runtime = await import(pathToFileURL(entry).href);
    return { resolveModelInfo, entry, catalogueVersion: installedVersion(entry, CATALOGUE) };
  } catch {
    return undefined; // Not installed yet, or not built: a check needs neither.
  }
}

async function answerOf(runtime: LoadedRuntime, specifier: string): Promise<ModelInfo | undefined> {
  try {
    const { provider, id, source } = await runtime.resolveModelInfo(specifier);
    return { ok: true, provider, id, source: source as 'catalog' };
  } catch (error) {
    const { type = '', meta } = error as { type?: string; meta?: { suggestions?: readonly string[] } };
    const problem = PROBLEMS[type];
    if (problem === undefined) return undefined;
    const slash = specifier.indexOf('/');
    return {
      ok: false,
      problem,
      provider: specifier.slice(0, slash),
      id: specifier.slice(slash + 1),
      suggestions: meta?.suggestions ?? [],
      ...(runtime.catalogueVersion !== undefined && { catalogue: runtime.catalogueVersion }),
    };
  }
}
