import type { ExecutionSettings, HttpSettings, ModelSettings } from '../contract/limits.ts';
import type { Clock } from '../ports/clock.ts';
import type { Ids } from '../ports/ids.ts';
import type { FlueStore, Offset } from '../ports/store.ts';
import type { LiveLines } from './live-lines.ts';
import type { Settlements } from './settlements.ts';

/** One delivery as a transport hands it over, not yet validated. */
export interface Send {
  readonly kind: 'dispatch' | 'direct';
  readonly id: unknown;
  readonly message: unknown;
  /** absent and `undefined` are the same; `null` is a value (POST-06) */
  readonly initialData?: unknown;
  readonly uid?: unknown;
  readonly idempotencyKey?: unknown;
  /** what brought it over HTTP, for observers */
  readonly request?: Request;
}

/** What an admission attests (DSP-08, POST-09). */
export interface Admitted {
  readonly submissionId: string;
  /** ISO 8601 */
  readonly acceptedAt: string;
  readonly uid: string;
  /** head after the message was recorded; reading from here shows all that it causes */
  readonly offset: Offset;
  readonly deduplicated?: true;
}

/** The one runtime of this process, as transports and handles see it. */
export interface FlueRuntime {
  readonly state: 'loading' | 'ready' | 'draining' | 'failed';
  readonly mode: 'development' | 'production';
  readonly store: FlueStore;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly settings: {
    readonly execution: ExecutionSettings;
    readonly http: HttpSettings;
    readonly model: ModelSettings;
  };
  /** what this process settles, told at once */
  readonly settlements: Settlements;
  /** what the agents of this process log, for those who read live */
  readonly lines: LiveLines;
  /** Whether this function value is registered; `undefined` when it is not (IDENT-08). */
  identityOf(agent: unknown): string | undefined;
  /** Validates and admits one delivery: the one door of every transport (MSG-01). */
  admit(identity: string, send: Send): Promise<Admitted>;
  /** Records the intent to stop (ABT-01, ABT-06). Throws the 404 errors of ABT-08. */
  abort(identity: string, id: string, o?: { readonly submissionId?: string }): Promise<{ aborted: boolean }>;
  /**
   * Asks for a compaction of the main conversation; resolves once the request is durable (HND-21). Throws
   * `AgentInstanceNotFoundError` for an absent instance.
   */
  compact(
    identity: string,
    id: string,
    o?: { readonly instructions?: unknown },
  ): Promise<{ requested: true }>;
  /** Writes one failure to the server log and returns its reference (`err_<ulid>`, ENV-05, ENV-06). */
  logFailure(error: unknown, context?: Readonly<Record<string, unknown>>): string;
  /** Keeps the process alive until the returned function is called, or the runtime has stopped. */
  keepAlive(): () => void;
}

export function instancePath(identity: string, id: string): string {
  return `agents/${identity}/${id}`;
}
