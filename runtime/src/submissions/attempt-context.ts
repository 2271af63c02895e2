import type { ExecutionSettings, ModelSettings } from '../contract/limits.ts';
import type { DeliveredMessageInput } from '../conversation/delivered-message.ts';
import type { LogChunk } from '../conversation/projections/chunk.ts';
import type { ConversationRecord } from '../conversation/records/index.ts';
import type { Agent } from '../engine/agent.ts';
import type { DispatchReceipt } from '../engine/dispatch-receipt.ts';
import type { Correlation } from '../engine/events/event.ts';
import type { Events } from '../engine/events/events.ts';
import type { Trace } from '../engine/events/trace.ts';
import type { ModelNotes } from '../engine/model-notes.ts';
import type { CredentialNotes } from '../engine/sandbox/credential-notes.ts';
import type { SchemaNotes } from '../engine/tools/schema-notes.ts';
import type { Clock } from '../ports/clock.ts';
import type { ModelGateway } from '../ports/model-gateway.ts';
import type { DefaultEnvironment } from '../ports/sandbox.ts';
import type { Claim, FlueStore, SubmissionKind } from '../ports/store.ts';
import type { OwnAdmissions } from './own-admissions.ts';
import type { AttemptStore } from './patient-store.ts';
import type { Residents } from './residents.ts';

/** What a process gives to every attempt that it runs. */
export interface AttemptPorts {
  readonly store: FlueStore;
  readonly clock: Clock;
  readonly gateway: ModelGateway;
  readonly environment: DefaultEnvironment;
  readonly ownerId: string;
  readonly settings: { readonly execution: ExecutionSettings; readonly model: ModelSettings };
  readonly residents: Residents;
  readonly own: OwnAdmissions;
  readonly agentOf: (identity: string) => Agent | undefined;
  /** Resolves when this process may start something new for an instance (OWN-07). */
  readonly confirmOwnership: (path: string, epoch: number) => Promise<void>;
  /** Fences the attempt of this epoch by claiming its instance anew (BUD-06). */
  readonly fence: (path: string, epoch: number) => void;
  /** Told of what became durable, while it is at hand. */
  readonly committed: (claim: Claim, records: readonly ConversationRecord[]) => void;
  /** Tells live readers a line of log after the batch `after`; it is built only for somebody (RCD-14). */
  readonly tellLine: (path: string, after: number, line: () => LogChunk) => void;
  /** Sends to an instance of this process's agents, as `dispatch()` does (DMSG-01). */
  readonly dispatch: (
    instance: { readonly identity: string; readonly id: string },
    message: DeliveredMessageInput,
  ) => Promise<DispatchReceipt>;
  /** Opens an emitting context. */
  readonly events: (place: Correlation) => Events;
  readonly modelNotes: ModelNotes;
  readonly credentialNotes: CredentialNotes;
  /** in development, where there is a manifest to compare with */
  readonly schemaNotes?: SchemaNotes | undefined;
  /** Logs a failure whole and returns its reference. */
  readonly logFailure: (error: unknown, context?: Readonly<Record<string, unknown>>) => string;
  /** Logs a failure after which the runtime goes on; one that repeats itself is told once a minute (REC-15). */
  readonly containFailure: (
    error: unknown,
    about: Readonly<Record<string, unknown>>,
    events?: Events,
  ) => void;
}

/** What the parts of one attempt share. */
export interface AttemptContext {
  readonly ports: AttemptPorts;
  readonly claim: Claim;
  readonly identity: string;
  /** the instance id */
  readonly id: string;
  readonly events: Events;
  readonly trace: Trace;
  /** epoch milliseconds by which the submission must have settled (BUD-05) */
  readonly deadline: number;
  readonly signal: AbortSignal;
  /** the store, waited for while it cannot work */
  readonly store: AttemptStore;
  /** until when that is, epoch milliseconds */
  readonly patientUntil: number;
  /** submissions of the instance that were asked to stop */
  readonly abortedIds: Set<string>;
  /** fires when the work is to be given back at the next boundary */
  readonly releasing: () => AbortSignal;
  readonly isReleasing: () => boolean;
  /** whether an admission may have come since the state was last caught up; asking takes the hint */
  readonly mayHaveQueued: () => boolean;
  readonly kindOf: (submissionId: string) => SubmissionKind;
}
