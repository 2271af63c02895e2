import { Hono } from 'hono';
import * as v from 'valibot';
import { createModelGateway } from '../../adapters/models/create-model-gateway.ts';
import { nodeHostProbe } from '../../adapters/node/host-probe.ts';
import { keepAlive } from '../../adapters/node/keep-alive.ts';
import { systemClock } from '../../adapters/node/system-clock.ts';
import { ulidIds } from '../../adapters/node/ulid-ids.ts';
import { defaultEnvironment } from '../../adapters/sandbox/virtual.ts';
import { sqlite } from '../../adapters/sqlite/sqlite.ts';
import { currentRuntime } from '../../app/current.ts';
import { followSubmission } from '../../app/reader.ts';
import type { SubmissionReading } from '../../app/reader-submission.ts';
import type { FlueRuntime } from '../../app/runtime.ts';
import { type StartOptions, startRuntime } from '../../app/start.ts';
import { useModel } from '../../engine/hooks/use-model.ts';
import { useTool } from '../../engine/hooks/use-tool.ts';
import { defineTool } from '../../engine/tools/define-tool.ts';
import { type ScriptDefinition, type ScriptModel, scriptModel } from '../../testing/script-model.ts';
import { createAgentRouter } from './router.ts';

/** A real runtime on a store in memory, with one agent behind its router. Tools wait until the test lets them go. */

export interface Served {
  readonly app: Hono;
  readonly script: ScriptModel;
  readonly runtime: FlueRuntime;
  /** lets everything go and stops the runtime */
  stop(): Promise<void>;
  /** lets every waiting and later call of the tool `hold` return */
  letGo(): void;
  fetch(path: string, init?: RequestInit): Promise<Response>;
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Response>;
  /** resolves with the settled reading of a submission */
  settled(id: string, submissionId: string): Promise<SubmissionReading>;
  /** what the server log got */
  readonly log: string[];
}

export const MOUNT = '/agents/orders';
const ORIGIN = 'http://flue.test';

let opened: Promise<void> = Promise.resolve();

export function Orders() {
  useModel('offline/script');
  useTool(
    defineTool({
      name: 'hold',
      description: 'Waits until it is let go',
      input: v.object({ orderId: v.string() }),
      run: async ({ data }) => {
        await opened;
        return { held: data.orderId };
      },
    }),
  );
  return 'Answer about orders.';
}

/** An agent whose instances are created with data. */
function Ticket() {
  useModel('offline/script');
  return 'Answer about a ticket.';
}
Ticket.initialData = v.object({ owner: v.nullable(v.string()) });

export async function serve(
  steps: ScriptDefinition['steps'],
  options: Partial<StartOptions> = {},
): Promise<Served> {
  const script = scriptModel({ steps });
  let letGo = () => {};
  opened = new Promise((resolve) => (letGo = resolve));
  const log: string[] = [];
  const flue = await startRuntime(
    { agents: [Orders, Ticket], ...options },
    {
      clock: systemClock,
      ids: ulidIds(),
      host: nodeHostProbe(),
      env: {},
      memoryStore: () => sqlite(),
      gateway: createModelGateway,
      environment: defaultEnvironment(),
      writeLog: (text) => void log.push(text),
      keepAlive,
    },
  );
  const runtime = currentRuntime()!;
  const app = new Hono();
  app.route(MOUNT, createAgentRouter(Orders));
  app.route('/agents/tickets', createAgentRouter(Ticket));
  const fetch = async (path: string, init?: RequestInit) =>
    app.fetch(new Request(`${ORIGIN}${MOUNT}${path}`, init));
  return {
    app,
    script,
    stop: () => {
      letGo();
      return flue.stop();
    },
    runtime,
    letGo,
    fetch,
    post: (path, body, headers = {}) =>
      fetch(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    settled: (id, submissionId) => followSubmission(runtime, `agents/Orders/${id}`, submissionId),
    log,
  };
}
