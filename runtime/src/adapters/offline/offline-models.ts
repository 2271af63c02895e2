import { misuse } from '../../errors/flue-error.ts';
import type { Clock } from '../../ports/clock.ts';
import { UnknownModelError } from '../../ports/model-errors.ts';
import type { ModelEvent, ModelInfo, ModelRequest } from '../../ports/model-gateway.ts';
import { parseSpecifier, type Specifier } from '../models/specifier.ts';
import { suggest } from '../models/suggest.ts';
import { streamDemo } from './demo/stream-demo.ts';
import { type Script, streamScript } from './script.ts';
import { installedScript, loadScript } from './script-source.ts';

export const OFFLINE_PROVIDER = 'offline';

/** What both models are, unless a script says otherwise (OFF-14). */
const OFFLINE_MODEL: Omit<ModelInfo, 'id'> = {
  provider: OFFLINE_PROVIDER,
  api: 'offline',
  contextWindow: 128_000,
  maxTokens: 8_192,
  reasoning: false,
  input: ['text', 'image'],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  source: 'offline',
};

const MODEL_IDS = ['demo', 'script'];

/** What an offline model is without a script. Throws `UnknownModelError`. */
export function offlineModelInfo({ text, id }: Specifier): ModelInfo {
  if (MODEL_IDS.includes(id)) return { id, ...OFFLINE_MODEL };
  const suggestions = suggest(id, MODEL_IDS, { distance: 3, limit: 3 });
  throw new UnknownModelError({ specifier: text, suggestions, declared: MODEL_IDS });
}

/**
 * The provider `offline`, present in every host whatever its `providers` list says (OFF-01): `demo` answers by keyword
 * matching, `script` plays what a test wrote. `scriptFile` is the path in `FLUE_SCRIPT`; a script installed by
 * `scriptModel()` wins over it.
 */
export function createOfflineModels(o: { readonly clock: Clock; readonly scriptFile: string | undefined }) {
  let loading: Promise<Script> | undefined;

  const currentScript = async (): Promise<Script | undefined> => {
    const installed = installedScript();
    if (installed || !o.scriptFile) return installed;
    loading ??= loadScript(o.scriptFile);
    return await loading;
  };

  async function resolve(specifier: Specifier): Promise<ModelInfo> {
    const info = offlineModelInfo(specifier);
    return info.id === 'script' ? { ...info, ...(await currentScript())?.definition.model } : info;
  }

  function stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent> {
    const info = offlineModelInfo(parseSpecifier(request.specifier));
    if (info.id === 'demo') return streamDemo(request, { info, signal });
    const installed = installedScript();
    return installed ? play(installed, request, info, signal) : playFile(request, info, signal);
  }

  function play(script: Script, request: ModelRequest, info: ModelInfo, signal: AbortSignal) {
    const scripted = { ...info, ...script.definition.model };
    return streamScript(script, request, { info: scripted, clock: o.clock, signal });
  }

  async function* playFile(request: ModelRequest, info: ModelInfo, signal: AbortSignal) {
    const script = await currentScript();
    if (!script) {
      throw misuse(
        'offline/script has no script. Call scriptModel() of @flue/runtime/testing, or set FLUE_SCRIPT.',
      );
    }
    yield* play(script, request, info, signal);
  }

  return { resolve, stream };
}
