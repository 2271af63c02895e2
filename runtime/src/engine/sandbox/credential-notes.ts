import type { ModelGateway } from '../../ports/model-gateway.ts';
import type { LogLine } from '../logger.ts';

/** Tells of variables of a sandbox that carry a provider's credential, each once in the life of a runtime (LOC-04). */
export interface CredentialNotes {
  /** What is to be told of these variables by now: a credential is known once a request was authorized with it. */
  carriedBy(env: Readonly<Record<string, string>>): LogLine[];
}

export function createCredentialNotes(gateway: Pick<ModelGateway, 'redact'>): CredentialNotes {
  const told = new Set<string>();
  return {
    carriedBy(env) {
      const { redact } = gateway;
      const names = Object.keys(env).filter((name) => !told.has(name) && redact(env[name]!) !== env[name]);
      return names.map((variable) => {
        told.add(variable);
        return {
          level: 'warn',
          message: `[flue:sandbox] The variable "${variable}" of local({ env }) carries the credential of a model provider, which every command can read.`,
          attributes: { variable },
        };
      });
    },
  };
}
