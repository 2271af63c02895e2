import type { ModelSettings } from '../contract/limits.ts';
import type { Correlation } from '../engine/events/event.ts';
import { type EventPorts, Events } from '../engine/events/events.ts';
import { isObserved } from '../engine/events/observe.ts';
import { createModelNotes } from '../engine/model-notes.ts';
import { createCredentialNotes } from '../engine/sandbox/credential-notes.ts';
import { createSchemaNotes, type SchemaNotes } from '../engine/tools/schema-notes.ts';
import { FlueError, misuse } from '../errors/flue-error.ts';
import type { Clock } from '../ports/clock.ts';
import type { HostProbe } from '../ports/host.ts';
import type { Ids } from '../ports/ids.ts';
import type { ModelGateway } from '../ports/model-gateway.ts';
import type { DefaultEnvironment } from '../ports/sandbox.ts';
import type { FlueStore, PersistenceAdapter } from '../ports/store.ts';
import { isPersistenceError } from '../ports/store-errors.ts';
import { startAttempt } from '../submissions/attempt.ts';
import type { AttemptPorts } from '../submissions/attempt-context.ts';
import { createOwnAdmissions, type OwnAdmissions } from '../submissions/own-admissions.ts';
import { createResidents } from '../submissions/residents.ts';
import { createSupervisor, type Supervisor } from '../submissions/supervisor.ts';
import { admitSend, validateInstanceId } from './admission/admit.ts';
import { admitCompaction } from './admission/admit-compaction.ts';
import { createKnownInstances } from './admission/known-instances.ts';
import { checkManifest } from './check-manifest.ts';
import { checkedAdapter } from './checked-adapter.ts';
import { type ContainFailure, createContainedFailures } from './contained-failures.ts';
import { leaveRuntimePlace, setCurrentRuntime, takeRuntimePlace } from './current.ts';
import { dispatchWithin } from './dispatch.ts';
import { AgentInstanceNotFoundError, RuntimeUnavailableError, SubmissionNotFoundError } from './errors.ts';
import { createFailureLog } from './failure-log.ts';
import { createHttpRequests } from './http-requests.ts';
import { createLiveLines, type LiveLines } from './live-lines.ts';
import { createLogLines, type LogSettings, logSettings } from './log-lines.ts';
import type { ManifestSource } from './read-manifest.ts';
import { liveReadersOf } from './reader-live.ts';
import { endWaits } from './reader-wait.ts';
import { type AgentRegistry, createRegistry, type RegistryEntry } from './registry.ts';
import { type Admitted, type FlueRuntime, instancePath, type Send } from './runtime.ts';
import { executionSettings, httpSettings, modelSettings } from './settings.ts';
import { createSettlements } from './settlements.ts';
import { type SharedKeepAlive, shareKeepAlive } from './share-keep-alive.ts';

export interface StartOptions {
  /** the agents that this process serves; at least one */
  agents: readonly RegistryEntry[];
  /** default: in-memory SQLite, gone with the process */
  db?: PersistenceAdapter;
  /** the runtime environment; default `process.env` */
  env?: Record<string, string | undefined>;
  /** STA-08 */
  execution?: Record<string, number>;
  /** http-and-client section 1 */
  http?: Record<string, number>;
  /** RETRY-06 */
  model?: Record<string, number>;
  /** what the build wrote beside the server, checked before storage opens (LOAD-02) */
  manifest?: ManifestSource;
  /** the hash that the registration module carries */
  manifestHash?: string;
  /** default: `development` where NODE_ENV says so, else `production` */
  mode?: 'development' | 'production';
}

export interface Flue {
  /** Drains work in flight, then closes the store. Idempotent; concurrent calls share one promise (STA-07). */
  stop(o?: { timeoutMs?: number }): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** What a host supplies: the adapters behind the ports. */
export interface HostWiring {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly host: HostProbe;
  readonly env: Record<string, string | undefined>;
  readonly memoryStore: () => PersistenceAdapter;
  readonly gateway: (o: {
    env: Record<string, string | undefined>;
    settings: ModelSettings;
    clock: Clock;
  }) => ModelGateway;
  /** what agents work in that declare no sandbox */
  readonly environment: DefaultEnvironment;
  readonly writeLog: (text: string) => void;
  /** Keeps the process alive until the returned function is called. */
  readonly keepAlive: () => () => void;
}

/** Boots the one runtime of this process: validate, migrate, connect, register, recover (STA-05). */
export async function startRuntime(options: StartOptions, wiring: HostWiring): Promise<Flue> {
  if (!takeRuntimePlace()) {
    throw misuse(
      'start(): this process already has a runtime. Use dispatch() and init() directly, or stop() it first.',
    );
  }
  try {
    return await boot(options, wiring);
  } catch (error) {
    leaveRuntimePlace();
    throw error;
  }
}

async function boot(options: StartOptions, wiring: HostWiring): Promise<Flue> {
  const valid = validate(options, wiring);
  const db = checkedAdapter(options.db ?? wiring.memoryStore(), 'start({ db })');
  const store = await openStore(db);
  const runtime = assemble({ ...valid, wiring, store });
  setCurrentRuntime(runtime.public);
  try {
    await runtime.supervisor.boot();
  } catch (error) {
    runtime.enter('failed');
    await closeStore(db, runtime.supervisor);
    throw misuse('start(): the store failed while work was being recovered.', undefined, { cause: error });
  }
  if (runtime.public.state === 'loading') runtime.enter('ready');

  const drain = async (timeoutMs: number): Promise<void> => {
    runtime.enter('draining');
    const readersLeft = liveReadersOf(runtime.public).drain();
    try {
      await runtime.supervisor.stop(timeoutMs, { finish: db.ephemeral === true });
    } finally {
      await readersLeft;
      await db.close?.();
      endWaits(runtime.public.store);
    }
  };
  let stopping: Promise<void> | undefined;
  const stop = ({ timeoutMs = valid.settings.execution.shutdownMs }: { timeoutMs?: number } = {}) =>
    (stopping ??= drain(timeoutMs).finally(() => {
      runtime.letProcessEnd();
      leaveRuntimePlace();
    }));
  return { stop, [Symbol.asyncDispose]: () => stop() };
}

/** Everything that can be refused without touching anything (STA-02, LOAD-03). */
function validate(options: StartOptions, wiring: HostWiring) {
  if (!Array.isArray(options?.agents) || options.agents.length === 0) {
    throw misuse('start() needs at least one agent: start({ agents: [MyAgent] }).', 'FLUE4010');
  }
  const env = options.env ?? wiring.env;
  const mode = options.mode ?? (env.NODE_ENV === 'development' ? 'development' : 'production');
  const registry = createRegistry(options.agents);
  const settings = {
    execution: executionSettings(options.execution, env),
    http: httpSettings(options.http),
    model: modelSettings(options.model, env),
  };
  const log = logSettings(env, mode);
  const manifest =
    options.manifest &&
    checkManifest(options.manifest, {
      identities: registry.identities,
      ...(options.manifestHash !== undefined && { registrationHash: options.manifestHash }),
      note: (message) => createLogLines(log, wiring.writeLog)({ level: 'warn', message, attributes: {} }),
    });
  const schemaNotes = manifest && mode === 'development' ? createSchemaNotes(manifest) : undefined;
  return { registry, settings, env, mode, log, schemaNotes };
}

/** A failing store rejects `start()` and is closed again (ADP-02, ADP-03, STA-05). */
async function openStore(db: PersistenceAdapter): Promise<FlueStore> {
  try {
    await db.migrate?.();
    return await db.connect();
  } catch (cause) {
    await Promise.resolve(db.close?.()).catch(() => {});
    const why = cause instanceof Error ? cause.message : String(cause);
    throw misuse(`start(): the store could not be opened: ${why}`, undefined, { cause });
  }
}

async function closeStore(db: PersistenceAdapter, supervisor: Supervisor): Promise<void> {
  await supervisor.stop(0).catch(() => {});
  await Promise.resolve(db.close?.()).catch(() => {});
}

interface Parts {
  readonly wiring: HostWiring;
  readonly registry: AgentRegistry;
  readonly settings: FlueRuntime['settings'];
  readonly env: Record<string, string | undefined>;
  readonly mode: FlueRuntime['mode'];
  readonly log: LogSettings;
  readonly schemaNotes: SchemaNotes | undefined;
  readonly store: FlueStore;
}

function assemble({ wiring, registry, settings, env, mode, log, schemaNotes, store }: Parts) {
  const { clock, ids } = wiring;
  let state: FlueRuntime['state'] = 'loading';
  const gateway = wiring.gateway({ env, settings: settings.model, clock });
  // Whatever is printed: no credential is part of it (AUTH-05).
  const write = (text: string) => wiring.writeLog(gateway.redact(text));
  const requests = createHttpRequests();
  const eventPorts: EventPorts = {
    clock,
    env,
    redact: () => gateway.redact,
    print: createLogLines(log, write),
    requestOf: requests.of,
  };
  const events = (place: Correlation) => new Events(eventPorts, place);
  const logFailure = createFailureLog({ ids, write });
  const contain = createContainedFailures({ clock, logFailure, events: events({}) });
  let gone = false;
  const containFailure: ContainFailure = (error, about, from) => {
    // What did not unwind within the budget is refused, or finds the store closed. Its row is free for a successor (SHD-04).
    const isRefused = FlueError.is(error, 'ownership_lost') || isPersistenceError(error, 'closed');
    if (!gone || !isRefused) contain(error, about, from);
  };
  const settlements = createSettlements();
  const known = createKnownInstances();
  const own = createOwnAdmissions();
  const lines = createLiveLines();
  const keepAlive = shareKeepAlive(wiring.keepAlive);
  const supervisor = createWorker({
    wiring,
    registry,
    settings,
    schemaNotes,
    store,
    gateway,
    events,
    lines,
    keepAlive,
    logFailure,
    containFailure,
    own,
    committed: ({ row }, records) => {
      settlements.committed(records, { isFirst: row.inputOffset === undefined });
      for (const record of records) {
        if (record.type === 'submission_settled') requests.drop(record.submissionId);
      }
    },
    outdated: () => {
      state = 'draining';
    },
    gone: () => {
      gone = true;
    },
  });

  const admitting = (identity: string) => {
    if (state === 'draining' || state === 'failed') throw new RuntimeUnavailableError({ state });
    const agent = registry.get(identity);
    if (!agent) throw misuse(`the agent "${identity}" is not registered in this process.`);
    return agent;
  };

  const refusedByStore = (error: unknown): never => {
    if (isPersistenceError(error)) containFailure(error, { operation: 'admit' });
    throw error;
  };

  /** A replayed admission is not told again: its submission may be settled, and nothing would follow (EVT-04). */
  const queued = (
    identity: string,
    { kind, id, request }: Send,
    { submissionId, deduplicated }: Admitted,
  ) => {
    if (deduplicated) return;
    if (request) requests.keep(submissionId, request);
    const place = { instanceId: String(id), agentName: identity, submissionId };
    events(place).emit({ type: 'submission_queued', submissionId, kind });
  };

  const runtime: FlueRuntime = {
    get state() {
      return state;
    },
    mode,
    store,
    clock,
    ids,
    env,
    settings,
    settlements,
    lines,
    identityOf: (agent) => registry.identityOf(agent),
    async admit(identity, send) {
      const agent = admitting(identity);
      const path = instancePath(identity, String(send.id));
      const admission = admitSend({ store, clock, ids, known, own }, agent, send);
      supervisor.admitting(path);
      const admitted = await admission.catch(refusedByStore);
      if (isObserved()) queued(identity, send, admitted);
      supervisor.admitted(path, { submissionId: admitted.submissionId, kind: send.kind });
      return admitted;
    },
    async compact(identity, id, o = {}) {
      const agent = admitting(identity);
      const submissionId = await admitCompaction({ store, clock, ids }, agent, { ...o, id }).catch(
        refusedByStore,
      );
      supervisor.admitted(instancePath(identity, id), { submissionId, kind: 'compact' });
      return { requested: true };
    },
    async abort(identity, id, { submissionId } = {}) {
      const path = instancePath(identity, validateInstanceId(id));
      const view = await store.load(path);
      if (!view) throw new AgentInstanceNotFoundError({ id });
      if (submissionId !== undefined) {
        const row = await store.submission(submissionId);
        if (row?.path !== path) throw new SubmissionNotFoundError({ submissionId });
      }
      const { affected } = await store.abort(path, submissionId === undefined ? {} : { submissionId });
      supervisor.attemptOf(path)?.aborted(affected);
      supervisor.wake();
      return { aborted: affected.length > 0 };
    },
    logFailure,
    keepAlive: keepAlive.hold,
  };
  return {
    public: runtime,
    supervisor,
    letProcessEnd: keepAlive.end,
    enter: (next: Exclude<FlueRuntime['state'], 'loading'>) => {
      state = next;
    },
  };
}

interface WorkerParts extends Omit<Parts, 'env' | 'mode' | 'log'> {
  readonly gateway: ModelGateway;
  readonly events: (place: Correlation) => Events;
  readonly lines: LiveLines;
  readonly keepAlive: SharedKeepAlive;
  readonly logFailure: FlueRuntime['logFailure'];
  readonly containFailure: ContainFailure;
  readonly own: OwnAdmissions;
  readonly committed: AttemptPorts['committed'];
  readonly outdated: () => void;
  readonly gone: () => void;
}

function createWorker({
  wiring,
  registry,
  settings,
  store,
  gateway,
  events,
  lines,
  keepAlive,
  logFailure,
  containFailure,
  own,
  committed,
  outdated,
  gone,
  schemaNotes,
}: WorkerParts): Supervisor {
  const { clock, ids } = wiring;
  const ownerId = `own_${ids.ulid()}`;
  const attemptPorts = {
    store,
    clock,
    gateway,
    environment: wiring.environment,
    ownerId,
    settings,
    residents: createResidents(),
    own,
    agentOf: (identity: string) => registry.get(identity)?.agent,
    confirmOwnership: (path: string, epoch: number) => supervisor.confirmOwnership(path, epoch),
    fence: (path: string, epoch: number) => supervisor.reclaim(path, epoch),
    committed,
    tellLine: lines.tell,
    dispatch: dispatchWithin,
    events,
    modelNotes: createModelNotes(),
    credentialNotes: createCredentialNotes(gateway),
    schemaNotes,
    logFailure,
    containFailure,
  };
  let letGo = () => {};
  const supervisor = createSupervisor({
    store,
    clock,
    host: wiring.host,
    ownerId,
    agents: registry.identities,
    settings: settings.execution,
    start: (claim) => startAttempt(claim, attemptPorts),
    busy: (busy) => {
      letGo();
      letGo = busy ? keepAlive.hold() : () => {};
    },
    outdated,
    gone,
    report: (operation, error) => containFailure(error, { operation }),
  });
  return supervisor;
}
