import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ModelInfo } from '../analysis/host.ts';
import { installedVersion } from './package-info.ts';

/** What the runtime that a project has installed knows of models; loaded when a literal specifier has to be judged. */
export interface ModelCatalogue {
  /** What is known by now, and `undefined` where nothing was looked up; another function once something was. */
  known(): (specifier: string) => ModelInfo | undefined;
  /** Look up what was asked in vain. True when there is something to report about it. */
  lookUp(): Promise<boolean>;
}

interface Runtime {
  resolveModelInfo(specifier: string): Promise<{ provider: string; id: string; source: string }>;
}

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
  return {
    known: () => known,
    async lookUp() {
      const specifiers = [...unanswered];
      unanswered.clear();
      if (specifiers.length === 0) return false;
      const runtime = await loadRuntime(root);
      for (const specifier of specifiers) {
        answers.set(specifier, runtime && (await answerOf(runtime, specifier)));
      }
      const isTold = specifiers.some((specifier) => answers.get(specifier)?.ok === false);
      if (isTold) known = answering();
      return isTold;
    },
  };
}

interface LoadedRuntime extends Runtime {
  readonly catalogueVersion: string | undefined;
}

async function loadRuntime(root: string): Promise<LoadedRuntime | undefined> {
  try {
    const entry = createRequire(join(root, 'package.json')).resolve('@flue/runtime');
    const { resolveModelInfo }: Runtime = await import(pathToFileURL(entry).href);
    return { resolveModelInfo, catalogueVersion: installedVersion(entry, '@earendil-works/pi-ai') };
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
