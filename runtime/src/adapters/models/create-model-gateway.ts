import type { ModelSettings } from '../../contract/limits.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ModelGateway, ModelRequest } from '../../ports/model-gateway.ts';
import type { ModelRef } from '../../ports/model-shapes.ts';
import { installedTape } from '../cassettes/installed-tape.ts';
import type { Tape } from '../cassettes/tape.ts';
import { createOfflineModels, OFFLINE_PROVIDER } from '../offline/offline-models.ts';
import { KnownSecrets } from '../pi-ai/known-secrets.ts';
import type { PiModels } from '../pi-ai/pi-models.ts';
import { parseSpecifier } from './specifier.ts';
import { watch } from './watch.ts';

export interface ModelGatewayOptions {
  /** the only source of credentials (AUTH-03), of `FLUE_SCRIPT` and of `FLUE_CASSETTE` */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly settings: ModelSettings;
  readonly clock: Clock;
  /** provider ids to register; absent means every built-in one (PROV-02) */
  readonly providers?: readonly string[];
}

/**
 * The models of one runtime: `offline/*` at once, everything else through pi-ai, which is loaded when the first such
 * specifier is used, because importing it costs more than a whole scripted conversation.
 */
export function createModelGateway(o: ModelGatewayOptions): ModelGateway {
  const offline = createOfflineModels({ clock: o.clock, scriptFile: o.env.FLUE_SCRIPT });
  const secrets = new KnownSecrets();
  let loading: Promise<PiModels> | undefined;
  const loadPiModels = () => {
    loading ??= import('../pi-ai/pi-models.ts').then((module) => module.createPiModels({ ...o, secrets }));
    return loading;
  };

  async function resolve(text: string) {
    const specifier = parseSpecifier(text);
    if (specifier.provider === OFFLINE_PROVIDER) return offline.resolve(specifier);
    return (await loadPiModels()).resolve(specifier);
  }

  let ofEnv: Promise<Tape | undefined> | undefined;
  /** What a test put in, else what the environment asks for (CAS-01). */
  const tape = async (): Promise<Tape | undefined> => {
    const installed = installedTape();
    if (installed || !o.env.FLUE_CASSETTE) return installed;
    ofEnv ??= import('../cassettes/tape-source.ts').then(({ tapeOf }) => tapeOf(o.env));
    return await ofEnv;
  };

  async function* ask(request: ModelRequest, signal: AbortSignal) {
    yield* (await loadPiModels()).stream(request, signal);
  }

  async function* streamPi(request: ModelRequest, signal: AbortSignal) {
    const onTape = await tape();
    yield* onTape ? onTape.play(request, signal, ask) : ask(request, signal);
  }

  return {
    resolve,
    get redact() {
      return secrets.redact;
    },
    stream(request, signal) {
      const model = requestedModel(request.specifier);
      const open = model.provider === OFFLINE_PROVIDER ? offline.stream : streamPi;
      const { clock } = o;
      const { idleTimeoutMs } = o.settings;
      return watch((inner) => open(request, inner), { model, signal, clock, idleTimeoutMs });
    },
  };
}

/** Names the model of a response that ends before anything resolved; a specifier of the wrong form names none. */
function requestedModel(specifier: string): ModelRef {
  const [provider = '', ...rest] = specifier.split('/');
  return {
    provider,
    id: rest.join('/'),
    api: provider === OFFLINE_PROVIDER ? OFFLINE_PROVIDER : 'unresolved',
  };
}
