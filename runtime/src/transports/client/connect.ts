import type { AgentContract } from './agent-contract.ts';
import type { AgentAccessor } from './contract.ts';
import { openConversation } from './conversation.ts';
import { type HttpOptions, httpClient } from './http/client.ts';
import { httpTransport } from './http/transport.ts';
import { joinUrl, parseBaseUrl } from './http/url.ts';
import { mintInstanceId } from './instance-id.ts';
import type { AgentTransport } from './transport.ts';

export interface ConnectOptions extends HttpOptions {
  /** origin of the server, with the path that all mounts share if there is one */
  readonly baseUrl: string;
}

/** Generated code's `connect`: the keys of `A` that are mounted at a known path or named in `mounts` (TCLI-05). */
export interface Connect<A, Mounted extends keyof A> {
  (transport: AgentTransport): A;
  <const M extends { readonly [K in keyof A]?: string } = Record<never, string>>(
    options: ConnectOptions & {
      readonly mounts?: M & { readonly [K in Exclude<keyof M, keyof A>]: never };
    },
  ): Pick<A, Mounted | (GivenKeys<M> & keyof A)>;
}

/** Keys that are there for certain: an optional one may be absent when the program runs. */
type GivenKeys<M> = { [K in keyof M]-?: Record<never, never> extends Pick<M, K> ? never : K }[keyof M];

/** What generated code knows of each agent: its identity, and its path where it is mounted at a static one. */
export type AgentPlaces = Readonly<
  Record<string, { readonly identity: string; readonly path?: string | undefined }>
>;

/** For generated code only. */
export function createConnect<A, Mounted extends keyof A>(places: AgentPlaces): Connect<A, Mounted> {
  const connect = (target: AgentTransport | (ConnectOptions & { mounts?: Record<string, string> })) =>
    'conversation' in target ? connectAll(places, target) : connectMounted(places, target);
  return connect as Connect<A, Mounted>;
}

function connectAll(places: AgentPlaces, transport: AgentTransport): Record<string, unknown> {
  return mapAgents(places, ({ identity }) => createAccessor(identity, transport));
}

function connectMounted(
  places: AgentPlaces,
  { baseUrl, mounts = {}, ...http }: ConnectOptions & { mounts?: Record<string, string> },
): Record<string, unknown> {
  const unknown = Object.keys(mounts).find((name) => !Object.hasOwn(places, name));
  if (unknown !== undefined) {
    throw new TypeError(`connect(): mounts names "${unknown}", which is no agent of this client.`);
  }
  const base = parseBaseUrl(baseUrl, 'connect(): baseUrl');
  const client = httpClient(http);
  return mapAgents(places, ({ identity, path: known }, name) => {
    const path = mounts[name] ?? known;
    if (path === undefined) return undefined;
    const mount = joinUrl(base, path);
    return createAccessor(identity, {
      conversation: (_, id) => httpTransport(client, { url: `${mount}/${encodeURIComponent(id)}`, id }),
    });
  });
}

function mapAgents(
  places: AgentPlaces,
  accessorOf: (place: AgentPlaces[string], name: string) => unknown,
): Record<string, unknown> {
  const accessors = Object.entries(places).map(([name, place]) => [name, accessorOf(place, name)] as const);
  return Object.fromEntries(accessors.filter(([, accessor]) => accessor !== undefined));
}

function createAccessor(identity: string, transport: AgentTransport): unknown {
  const at = (id: string, { uid }: { readonly uid?: string | null } = {}) => {
    if (typeof id !== 'string' || id.trim() === '')
      throw new TypeError('at() needs a non-empty instance id.');
    return openConversation({ identity, id, uid }, transport.conversation(identity, id));
  };
  return { identity, at, fresh: () => at(mintInstanceId()) };
}

/**
 * For generated code only: the accessor of an agent on the server that this page came from, connected at first use.
 *
 * @throws TypeError at first use where there is no page (TCLI-05)
 */
export function pageAccessor<C extends AgentContract>(
  identity: C['identity'],
  connectPage: (baseUrl: string) => AgentAccessor<C>,
): AgentAccessor<C> {
  let known: AgentAccessor<C> | undefined;
  const accessor = (): AgentAccessor<C> => {
    known ??= connectPage(pageOrigin());
    return known;
  };
  return {
    identity,
    at: ((...parameters: Parameters<AgentAccessor<C>['at']>) =>
      accessor().at(...parameters)) as AgentAccessor<C>['at'],
    fresh: () => accessor().fresh(),
  };
}

function pageOrigin(): string {
  const { location } = globalThis as { location?: { readonly origin: string } };
  if (location) return location.origin;
  throw new TypeError(
    'Named accessors reach the server of the page they run in, and there is none here. Use connect({ baseUrl }).',
  );
}
