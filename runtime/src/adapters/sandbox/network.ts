import { isIP } from 'node:net';
import type { SecureFetch } from 'just-bash';
import { misuse } from '../../errors/flue-error.ts';
import { unknownField } from '../../errors/unknown-field.ts';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'] as const;
type Method = (typeof METHODS)[number];

export interface VirtualNetwork {
  /** origins, or an origin and the beginning of a path up to a `/`: `https://api.example.com/v1/` */
  allowedUrlPrefixes: string[];
  /** default `GET` and `HEAD` */
  allowedMethods?: string[];
}

/** As many as browsers follow. */
const MOST_REDIRECTS = 20;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** Throws for what allows nothing, or something else than it seems to. */
export function checkedNetwork(network: VirtualNetwork): VirtualNetwork {
  const problem = unknownField(network, ['allowedUrlPrefixes', 'allowedMethods'], 'option');
  if (problem) throw misuse(`virtual(): network ${problem}`);
  const { allowedUrlPrefixes: prefixes, allowedMethods: methods = [] } = network;
  if (!Array.isArray(prefixes) || prefixes.length === 0) {
    throw misuse('virtual(): network.allowedUrlPrefixes must be a list of at least one URL prefix.');
  }
  const bad = prefixes.find((prefix) => !isPrefix(prefix));
  if (bad !== undefined) {
    throw misuse(
      `virtual(): network.allowedUrlPrefixes: ${JSON.stringify(bad)} must begin with http:// or https:// and a host, ` +
        'and have no credentials, query or fragment.',
    );
  }
  if (!Array.isArray(methods) || methods.some((method) => !METHODS.includes(method as Method))) {
    throw misuse(`virtual(): network.allowedMethods must be a list of ${METHODS.join(', ')}.`);
  }
  return network;
}

function isPrefix(prefix: unknown): boolean {
  if (typeof prefix !== 'string' || !URL.canParse(prefix)) return false;
  const { protocol, username, password, search, hash } = new URL(prefix);
  return /^https?:$/.test(protocol) && `${username}${password}${search}${hash}` === '';
}

/**
 * The network of a virtual environment: what the prefixes allow and nothing else, for redirects as for first requests
 * (VIRT-03). An address that is private, loopback or link-local is reached where a prefix has it as its host, and never
 * through a name that resolves to it.
 */
export async function openNetwork(network: VirtualNetwork): Promise<SecureFetch> {
  const { allowedUrlPrefixes: prefixes, allowedMethods } = network;
  const methods = allowedMethods && { allowedMethods: allowedMethods as Method[] };
  const literal = prefixes.filter(namesAddress);
  const named = prefixes.filter((prefix) => !namesAddress(prefix));
  const open = {
    named: await secureFetch({ ...methods, allowedUrlPrefixes: named, denyPrivateRanges: true }),
    literal: await secureFetch({ ...methods, allowedUrlPrefixes: literal, denyPrivateRanges: false }),
  };
  const request: SecureFetch = (url, o) =>
    (namesAddress(url) ? open.literal : open.named)(url, { ...o, followRedirects: false });

  return async (url, o = {}) => {
    let at = url;
    let asked = o;
    for (let redirects = 0; ; redirects++) {
      const answer = await request(at, asked);
      const { location } = answer.headers;
      if (o.followRedirects === false || !REDIRECTS.has(answer.status) || !location) return answer;
      if (redirects >= Math.min(o.maxRedirects ?? MOST_REDIRECTS, MOST_REDIRECTS)) {
        throw new Error(`Too many redirects (max: ${redirects})`);
      }
      const next = new URL(location, at).href;
      asked = redirected(asked, answer.status, new URL(next).origin === new URL(at).origin);
      at = next;
    }
  };
}

type FetchOptions = NonNullable<Parameters<SecureFetch>[1]>;

/** What the Fetch standard makes of a request that is sent on: no body without its method, no secrets to another origin. */
function redirected(o: FetchOptions, status: number, isSameOrigin: boolean): FetchOptions {
  const method = o.method?.toUpperCase() ?? 'GET';
  const becomesGet = status === 303 ? method !== 'HEAD' : status < 303 && method === 'POST';
  const headers = new Headers(o.headers);
  if (!isSameOrigin) for (const secret of ['authorization', 'cookie']) headers.delete(secret);
  if (!becomesGet) return { ...o, headers };
  for (const name of [...headers.keys()]) if (name.startsWith('content-')) headers.delete(name);
  const { body: _, ...rest } = o;
  return { ...rest, method: 'GET', headers };
}

/** Whether the host of a URL is an address, or the name that is one everywhere. */
function namesAddress(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { hostname } = new URL(url);
  return isIP(hostname.replace(/^\[|\]$/g, '')) !== 0 || /(^|\.)localhost\.?$/.test(hostname);
}

type NetworkConfig = NonNullable<ConstructorParameters<typeof import('just-bash').Bash>[0]>['network'];

/** The library gives its guarded fetch to the commands of a shell only, and for as long as one of them runs. */
async function secureFetch(network: NonNullable<NetworkConfig>): Promise<SecureFetch> {
  const { Bash, defineCommand } = await import('just-bash');
  return async (url, o = {}) => {
    let answer: ReturnType<SecureFetch> | undefined;
    const command = defineCommand('ask', async (_, { fetch }) => {
      answer = fetch!(url, o);
      await answer.catch(() => {});
      return { stdout: '', stderr: '', exitCode: 0 };
    });
    await new Bash({ network, customCommands: [command], defenseInDepth: false }).exec('ask');
    return answer!;
  };
}
