import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { fileURLToPath } from 'node:url';
import { checkedAdapter } from '../../app/checked-adapter.ts';
import { ManifestInvalidError } from '../../app/manifest-errors.ts';
import type { ManifestSource } from '../../app/read-manifest.ts';
import { isStamped } from '../../app/registry.ts';
import type { Flue, StartOptions } from '../../app/start.ts';
import { misuse } from '../../errors/flue-error.ts';
import type { Fetchable } from '../http/fetchable.ts';

/** What a build knows of an application; the generated server entry passes it. */
export interface ServerModule extends Omit<StartOptions, 'agents' | 'db' | 'manifest' | 'manifestHash'> {
  /** the registration module; evaluates every agent module */
  readonly registration: () => Promise<Registration>;
  /** what the build wrote beside the server */
  readonly manifestFile?: URL;
  /** absent: in-memory, gone with the process */
  readonly db?: () => Promise<{ readonly default: StartOptions['db'] }>;
  /** evaluated in order, before any agent module and the application (CFG-06) */
  readonly setup?: readonly (() => Promise<unknown>)[];
  readonly app: () => Promise<{ readonly default: unknown }>;
  /** how messages name the entry */
  readonly appFile: string;
}

type Registration = Required<Pick<StartOptions, 'agents' | 'manifestHash'>>;

/**
 * Runs a built server in this process: setup, agent modules, runtime, application, then the listener on `PORT` (default 3000, BLD-01).
 * The runtime is configured before the application is evaluated, so its module scope may send (APP-04). A signal
 * drains and exits; a second one exits at once (SHD-01, SHD-06). A failure to boot prints what, where and the remedy,
 * and exits 1.
 */
export async function serve(
  module: ServerModule,
  start: (options: StartOptions) => Promise<Flue>,
): Promise<void> {
  try {
    await boot(module, start);
  } catch (error) {
    process.stderr.write(`${describe(error)}\n`);
    process.exit(1);
  }
}

async function boot(module: ServerModule, start: (options: StartOptions) => Promise<Flue>): Promise<void> {
  const port = portOf(process.env.PORT);
  for (const load of module.setup ?? []) await load();
  const { setup: _setup, registration, app: loadApp, appFile, db: loadDb, manifestFile, ...options } = module;
  const manifest = manifestFile && readManifest(manifestFile);
  const registered = await registration().catch((error: unknown) => {
    throw withLostAgents(error, manifest);
  });
  const given = (await loadDb?.())?.default;
  const db = given && checkedAdapter(given, 'db.ts');
  const flue = await start({ ...options, ...registered, ...(db && { db }), ...(manifest && { manifest }) });
  try {
    const app = fetchable((await loadApp()).default, appFile);
    const { server, url } = await open(app, port);
    const stop = shutdown(flue, server);
    process.once('SIGTERM', () => stop(143));
    process.once('SIGINT', () => stop(130));
    // Last: whoever reads it may send a signal at once.
    process.stdout.write(`${url}\n`);
  } catch (error) {
    // Work that was recovered runs by now: given back, it spends no attempt on a boot that fails again and again.
    await flue.stop();
    throw error;
  }
}

function readManifest(file: URL): ManifestSource {
  const path = fileURLToPath(file);
  try {
    return { path, text: readFileSync(path, 'utf8') };
  } catch (error) {
    throw new ManifestInvalidError({
      path,
      problem: `it cannot be read (${(error as NodeJS.ErrnoException).code}).`,
    });
  }
}

/**
 * The error of an agent module that failed to evaluate, with the agents that are missing with it (REG-03). Modules are
 * evaluated in the order of their paths, and each binds its agents last.
 */
function withLostAgents(error: unknown, manifest: ManifestSource | undefined): unknown {
  const agents = manifest ? describedAgents(manifest) : [];
  const { module } = agents.find(({ identity }) => !isStamped(identity)) ?? {};
  if (module === undefined) return error;
  const lost = agents.filter((agent) => agent.module === module).map(({ identity }) => identity);
  const why = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return misuse(
    `${module} could not be loaded, and with it the agents ${lost.join(', ')}: ${why}`,
    undefined,
    {
      cause: error,
    },
  );
}

/** As far as the file can be read; `start()` says what is wrong with it. */
function describedAgents({ text }: ManifestSource): { identity: string; module: string }[] {
  try {
    const { agents } = JSON.parse(text) as { agents: { identity: string; module: string }[] };
    return [...agents].sort((a, b) => (a.module < b.module ? -1 : a.module > b.module ? 1 : 0));
  } catch {
    return [];
  }
}

async function open(
  app: Fetchable,
  port: number,
): Promise<{ readonly server: Server; readonly url: string }> {
  // Here, because scripts and tests import the same entry and never listen.
  const { serve: listen } = await import('@hono/node-server');
  return new Promise((resolve, reject) => {
    const server = listen({ fetch: (request, env) => app.fetch(request, env), port }, (info) => {
      resolve({ server, url: `http://localhost:${info.port}` });
    }) as Server;
    server.on('error', (error: NodeJS.ErrnoException) => {
      // Such as one connection that could not be accepted: it must not end those that could.
      if (server.listening) process.stderr.write(`${describe(error)}\n`);
      else reject(misuse(`port ${port} cannot be used (${error.code}). Set PORT to a free one.`));
    });
    // A live read may be silent for longer than any default: only the time to send a request's head stays limited.
    server.requestTimeout = 0;
    server.keepAliveTimeout = 65_000;
  });
}

/** The first signal drains: running work reaches its boundary and is handed over. The second one does not wait. */
function shutdown(flue: Flue, server: Server): (code: number) => void {
  let stopping = false;
  return (code) => {
    if (stopping) return;
    stopping = true;
    process.on('SIGTERM', () => process.exit(code));
    process.on('SIGINT', () => process.exit(code));
    server.close();
    flue
      .stop()
      .then(() => 0)
      .catch((error: unknown) => {
        process.stderr.write(`${describe(error)}\n`);
        return 1;
      })
      .then((exit) => {
        server.closeAllConnections();
        process.exit(exit);
      });
  };
}

function portOf(text: string | undefined): number {
  if (text === undefined || text === '') return 3000;
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port < 65_536) return port;
  throw misuse(`PORT must be a number from 0 to 65535, not ${JSON.stringify(text)}.`);
}

/** APP-01. */
function fetchable(value: unknown, file: string): Fetchable {
  if (typeof (value as Fetchable | null)?.fetch === 'function') return value as Fetchable;
  const found = value === undefined ? 'no default export' : value === null ? 'null' : typeof value;
  throw misuse(`${file} must default-export an object with a fetch(request) method. It has: ${found}.`);
}

/** A mistake of the user, without a stack: one line, what lay below it if that says more, and the developer's hints. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return `[flue] ${String(error)}`;
  const { message, cause } = error;
  const more = cause instanceof Error && !message.includes(cause.message) ? ` (${cause.message})` : '';
  const hints = [error, cause].map((one) => (one as { dev?: string } | undefined)?.dev).filter(Boolean);
  return [`${message.startsWith('[flue]') ? '' : '[flue] '}${message}${more}`, ...hints].join('\n');
}
