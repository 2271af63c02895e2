import { type Context, Hono } from 'hono';
import { currentRuntime } from '../../app/current.ts';
import { MethodNotAllowedError, RouteNotFoundError } from '../../app/errors.ts';
import { resolveAgentIdentity } from '../../app/registry.ts';
import type { FlueRuntime } from '../../app/runtime.ts';
import type { Agent } from '../../engine/agent.ts';
import { misuse } from '../../errors/flue-error.ts';
import { abort } from './abort.ts';
import { attachment } from './attachment.ts';
import { compact } from './compact.ts';
import { conversation } from './conversation.ts';
import { errorResponse } from './envelope.ts';
import { type AgentRequest, agentRequest } from './request.ts';
import { send } from './send.ts';
import { submission } from './submission.ts';

type Handler = (request: AgentRequest) => Promise<Response>;

interface Route {
  readonly path: string;
  /** segments of `path` */
  readonly depth: number;
  /** in the order of `Allow` (HTTP-05) */
  readonly methods: Readonly<Record<string, Handler>>;
}

const ROUTES: readonly Route[] = [
  { path: '/:id', depth: 1, methods: { GET: conversation, HEAD: conversation, POST: send } },
  { path: '/:id/abort', depth: 2, methods: { POST: abort } },
  { path: '/:id/compact', depth: 2, methods: { POST: compact } },
  { path: '/:id/attachments/:attachmentId', depth: 3, methods: { GET: attachment, HEAD: attachment } },
  { path: '/:id/submissions/:submissionId', depth: 3, methods: { GET: submission } },
];

/**
 * The HTTP surface of one agent, to be mounted at any path: `app.route('/agents/orders', createAgentRouter(Orders))`.
 * Pure: the runtime is found per request, so a router made before boot works after it (HTTP-01, HTTP-03). It
 * authorizes nobody; put middleware before the mount (HTTP-08).
 *
 * @throws when `agent` is not a function, or has no valid identity (HTTP-02)
 */
export function createAgentRouter(agent: Agent): Hono {
  if (typeof agent !== 'function') {
    throw misuse('createAgentRouter() takes the agent function itself.', 'FLUE4009');
  }
  const identity = resolveAgentIdentity(agent);
  const router = new Hono();
  for (const route of ROUTES) {
    router.all(route.path, (c) =>
      answer(c, identity, (runtime) => serve(c, route, agent, identity, runtime)),
    );
  }
  // Reached only where the router is an application of its own: a mount falls through to its host (HTTP-06).
  router.notFound((c) =>
    answer(c, identity, () => {
      throw new RouteNotFoundError({ method: c.req.raw.method, path: new URL(c.req.raw.url).pathname });
    }),
  );
  return router;
}

async function answer(
  c: Context,
  identity: string,
  respond: (runtime: FlueRuntime | undefined) => Promise<Response>,
): Promise<Response> {
  const runtime = currentRuntime();
  try {
    return await respond(runtime);
  } catch (error) {
    return errorResponse(error, { request: c.req.raw, runtime, identity });
  }
}

async function serve(
  c: Context,
  { methods, depth }: Route,
  agent: Agent,
  identity: string,
  runtime: FlueRuntime | undefined,
): Promise<Response> {
  const method = c.req.raw.method;
  const handler = Object.hasOwn(methods, method) ? methods[method] : undefined;
  if (!handler) throw new MethodNotAllowedError({ method, allowed: Object.keys(methods) });
  if (!runtime)
    throw misuse('No runtime is configured in this process. Call start() before serving requests.');
  if (runtime.identityOf(agent) === undefined) {
    throw misuse(
      `The agent "${identity}" is mounted but not registered. Add it to start({ agents }).`,
      'FLUE4008',
    );
  }
  return handler(agentRequest(c, { runtime, identity, depth }));
}
