import { access } from 'node:fs/promises';
import { homedir } from 'node:os';
import type { AuthContext } from '@earendil-works/pi-ai';
import type { Provider } from '@earendil-works/pi-ai/models';
import { ProviderNotConfiguredError } from '../../ports/model-errors.ts';

export type Env = Readonly<Record<string, string | undefined>>;

/** What authorizes one request. */
export interface Credentials {
  readonly apiKey: string | undefined;
  /** values that must not leave the model layer (AUTH-05) */
  readonly secrets: readonly string[];
  /** name of the variable that supplied the key (AUTH-06) */
  readonly envVar: string | undefined;
}

/** The runtime's `env` and nothing else (AUTH-03); files are looked for where ambient chains keep theirs. */
export function authContextOf(env: Env): AuthContext {
  return {
    env: async (name) => (env[name]?.trim() ? env[name] : undefined),
    async fileExists(path) {
      try {
        await access(path.replace(/^~(?=\/|$)/, homedir()));
        return true;
      } catch {
        return false;
      }
    },
  };
}

/**
 * Asks the provider's own auth, per request, so that rotation needs no restart (AUTH-01), and listens to which variables
 * it reads: these are the names to tell when nothing resolves (AUTH-04), and the values to keep secret when it does.
 */
export async function resolveCredentials(
  provider: Provider,
  context: AuthContext,
  signal: AbortSignal,
): Promise<Credentials> {
  const asked = new Map<string, string | undefined>();
  const listening: AuthContext = {
    ...context,
    async env(name) {
      const value = await context.env(name);
      asked.set(name, value);
      return value;
    },
  };
  const resolved = await provider.auth.apiKey?.resolve({ ctx: listening, signal });
  if (!resolved)
    throw new ProviderNotConfiguredError({ providerId: provider.id, envVars: [...asked.keys()] });

  const headers = Object.values(resolved.auth.headers ?? {}).filter((value) => value !== null);
  const carried = [resolved.auth.apiKey ?? '', ...headers];
  const read = [...asked].flatMap(([name, value]) => (value === undefined ? [] : [{ name, value }]));
  const supplier = read.find(({ value }) => carried.some((text) => text.includes(value)));
  return {
    apiKey: resolved.auth.apiKey,
    secrets: [
      ...carried,
      ...headers.map((value) => value.replace(/^\w+\s+/, '')),
      ...read.filter(({ name }) => SECRET_NAME.test(name)).map(({ value }) => value),
    ],
    envVar: supplier?.name ?? read.find(({ name }) => name === resolved.source)?.name,
  };
}

const SECRET_NAME = /KEY|TOKEN|SECRET|PASSWORD/;
