import { type Context, type Env, Hono, type Schema } from 'hono';
import type { MergePath } from 'hono/types';
import { currentRuntime } from '../../app/current.ts';
import { ForbiddenError } from '../../app/errors.ts';
import { resolveAgentIdentity } from '../../app/registry.ts';
import type { Agent } from '../../engine/agent.ts';
import { misuse } from '../../errors/flue-error.ts';
import { errorResponse } from './envelope.ts';
import { createAgentRouter } from './router.ts';
import type { MountedSchema } from './router-schema.ts';

export type AgentAction = 'send' | 'read' | 'abort' | 'compact' | 'attachment';

export interface AuthorizeRequest<E extends Env> {
  readonly identity: string;
  /** the instance id, decoded */
  readonly id: string;
  readonly action: AgentAction;
  readonly c: Context<E>;
}

/** `true` continues, `false` is 403, a `Response` is sent as it is, a throw is 500 (TRTE-04). */
export type Authorize<E extends Env> = (
  request: AuthorizeRequest<E>,
) => boolean | Response | Promise<boolean | Response>;

/** Where an agent is served: a bare path and `public: true` say that whoever gets past the host's middleware may use it. */
export type Mount<E extends Env> =
  | `/${string}`
  | { readonly path: `/${string}`; readonly authorize: Authorize<E> }
  | { readonly path: `/${string}`; readonly public: true };

/** Generated code's `mountAgents` (TRTE-02). */
export type MountAgents<A extends Readonly<Record<string, Agent>>> = <
  E extends Env,
  S extends Schema,
  B extends string,
  const M extends { readonly [K in keyof A]?: Mount<E> },
>(
  app: Hono<E, S, B>,
  mounts: M & { readonly [K in Exclude<keyof M, keyof A>]: never },
) => Hono<
  E,
  S | { [K in keyof M & keyof A]: MountedSchema<A[K], MergePath<B, PathOf<M[K]>>> }[keyof M & keyof A],
  B
>;

type PathOf<M> = M extends string ? M : M extends { readonly path: infer P extends string } ? P : string;

/**
 * For generated code only: `mountAgents` over the agents of an application, by accessor name. It mounts what it is told
 * to and nothing else (TRTE-01).
 *
 * @throws for an unknown name, a path that is no plain one, a path named twice, and a mount that says neither how it is
 * authorized nor that it is public; then nothing was mounted (TRTE-03)
 */
export function createMountAgents<A extends Readonly<Record<string, Agent>>>(agents: A): MountAgents<A> {
  const mountAgents = (app: Hono, mounts: Readonly<Record<string, Mount<Env>>>) => {
    const taken = new Set<string>();
    const entries = Object.entries(mounts).map(([name, mount]) => readMount(agents, name, mount, taken));
    for (const { path, agent, authorize } of entries) app.route(path, guarded(agent, path, authorize));
    return app;
  };
  return mountAgents as unknown as MountAgents<A>;
}

interface MountEntry {
  readonly path: string;
  readonly agent: Agent;
  readonly authorize: Authorize<Env> | undefined;
}

function readMount(
  agents: Readonly<Record<string, Agent>>,
  name: string,
  mount: unknown,
  taken: Set<string>,
): MountEntry {
  const agent = Object.hasOwn(agents, name) ? agents[name] : undefined;
  if (!agent) {
    const known = Object.keys(agents).join(', ');
    throw misuse(`mountAgents(): "${name}" is no agent of this application. It has: ${known}.`);
  }
  const { path, authorize, public: isPublic } = fieldsOf(mount);
  if (typeof path !== 'string' || !path.startsWith('/') || /[*?#]/.test(path)) {
    throw misuse(
      `mountAgents(): ${name} needs a path that starts with "/" and has no wildcard, query or fragment, not ${JSON.stringify(path)}.`,
    );
  }
  const place = path.replace(/\/+$/, '') || '/';
  if (taken.has(place)) throw misuse(`mountAgents(): two agents are mounted at "${place}".`);
  taken.add(place);
  if (typeof mount === 'string' || isPublic === true) return { path: place, agent, authorize: undefined };
  if (typeof authorize === 'function') return { path: place, agent, authorize: authorize as Authorize<Env> };
  throw misuse(`mountAgents(): ${name} at "${place}" needs an authorize function, or public: true.`);
}

function fieldsOf(mount: unknown): {
  readonly path?: unknown;
  readonly authorize?: unknown;
  readonly public?: unknown;
} {
  if (typeof mount === 'object' && mount !== null) return mount;
  return { path: mount };
}

/** A path has as many segments behind the mount as it shows here; `HEAD` comes in as `GET`. */
const GUARDED: readonly (readonly [method: string, path: string, action: AgentAction])[] = [
  ['POST', '/:id', 'send'],
  ['GET', '/:id', 'read'],
  ['POST', '/:id/abort', 'abort'],
  ['POST', '/:id/compact', 'compact'],
  ['GET', '/:id/attachments/:attachmentId', 'attachment'],
  ['GET', '/:id/submissions/:submissionId', 'read'],
];

function guarded(agent: Agent, path: string, authorize: Authorize<Env> | undefined): Hono {
  const router = createAgentRouter(agent);
  if (!authorize) return router;
  const identity = resolveAgentIdentity(agent);
  const guard = new Hono();
  for (const [method, route, action] of GUARDED) {
    const depth = route.split('/').length - 1;
    guard.on(method, route, async (c, next) => {
      const id = instanceId(c.req.raw.url, depth);
      // The router answers an id that cannot be one.
      if (id === undefined) return next();
      try {
        const verdict = await decide(authorize, { identity, id, action, c }, path);
        if (verdict instanceof Response) return verdict;
        if (!verdict) throw new ForbiddenError();
      } catch (error) {
        return errorResponse(error, { request: c.req.raw, runtime: currentRuntime(), identity });
      }
      return next();
    });
  }
  return guard.route('/', router);
}

/** Only `true` lets a request through: a function that forgets to return decides nothing. */
async function decide(
  authorize: Authorize<Env>,
  request: AuthorizeRequest<Env>,
  path: string,
): Promise<boolean | Response> {
  try {
    const verdict = await authorize(request);
    return verdict instanceof Response ? verdict : verdict === true;
  } catch (cause) {
    // Whatever it threw, a failure to decide is the server's and never passes for a decision.
    throw new Error(`authorize() of the mount "${path}" failed.`, { cause });
  }
}

/** From the end of the raw path, since the mount may have any depth; `undefined` for what the router refuses. */
function instanceId(url: string, depth: number): string | undefined {
  const segment = new URL(url).pathname.split('/').at(-depth) ?? '';
  try {
    const id = decodeURIComponent(segment);
    return id.trim() === '' ? undefined : id;
  } catch {
    return undefined;
  }
}
