/** The Node host: boots a runtime in this process; the SQLite adapter that it uses by default; the host as a sandbox. */

import { createModelGateway } from './adapters/models/create-model-gateway.ts';
import { nodeHostProbe } from './adapters/node/host-probe.ts';
import { keepAlive } from './adapters/node/keep-alive.ts';
import { type LocalOptions, local } from './adapters/node/local.ts';
import { systemClock } from './adapters/node/system-clock.ts';
import { ulidIds } from './adapters/node/ulid-ids.ts';
import { defaultEnvironment } from './adapters/sandbox/virtual.ts';
import { sqlite } from './adapters/sqlite/sqlite.ts';
import { type Flue, type StartOptions, startRuntime } from './app/start.ts';
import { type ServerModule, serve as serveModule } from './transports/node-server/serve.ts';

/**
 * Boots Flue in this process: registers the agents, opens the store and recovers interrupted work. One runtime per
 * process; it throws when one is configured (STA-04). Rejects before any I/O for an invalid agent, identity, static or
 * setting, and with the driver's error as `cause` when the store cannot be opened (STA-05).
 */
export function start(options: StartOptions): Promise<Flue> {
  return startRuntime(options, {
    clock: systemClock,
    ids: ulidIds(),
    host: nodeHostProbe(),
    env: process.env,
    memoryStore: () => sqlite(),
    gateway: createModelGateway,
    environment: defaultEnvironment(),
    writeLog: (text) => process.stderr.write(text),
    keepAlive,
  });
}

/** For generated server entries only: runs a built application in this process. */
export function serve(module: ServerModule): Promise<void> {
  return serveModule(module, start);
}

export type { Flue, LocalOptions, StartOptions };
export { local, sqlite };
