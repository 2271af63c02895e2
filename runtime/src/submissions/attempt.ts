import type { ExecutionSettings, ModelSettings } from '../contract/limits.ts';
import { ConversationRecordInvariantError } from '../conversation/errors.ts';
import type { Conversation } from '../conversation/fold/state.ts';
import type { ConversationRecord } from '../conversation/records/index.ts';
import type { Agent } from '../engine/agent.ts';
import type { LogLine } from '../engine/logger.ts';
import type { Clock } from '../ports/clock.ts';
import type { ModelGateway } from '../ports/model-gateway.ts';
import type { Claim, FlueStore, SubmissionKind } from '../ports/store.ts';
import { OwnershipLostError } from '../ports/store-errors.ts';
import { decide } from './decide.ts';
import { SubmissionAbortedError, SubmissionTimeoutError } from './errors.ts';
import { Interrupted } from './interrupted.ts';
import { openState } from './open-state.ts';
import type { Residents } from './residents.ts';
import { respond } from './respond.ts';
import { type End, release, settle, settleUnfoldable } from './settle.ts';
import { openStreamWriter, type StreamWriter } from './stream-writer.ts';
import type { RunningAttempt } from './supervisor.ts';

export interface AttemptPorts {
  readonly store: FlueStore;
  readonly clock: Clock;
  readonly gateway: ModelGateway;
  readonly ownerId: string;
  readonly settings: { readonly execution: ExecutionSettings; readonly model: ModelSettings };
  readonly residents: Residents;
  readonly agentOf: (identity: string) => Agent | undefined;
  /** Resolves when this process may start something new (OWN-07). */
  readonly confirmOwnership: () => Promise<void>;
  /** Fences the attempt that runs for a path by claiming it anew (BUD-06). */
  readonly fence: (path: string) => Promise<void>;
  /** Told of what became durable, while it is at hand. */
  readonly committed: (path: string, records: readonly ConversationRecord[]) => void;
  readonly emitLog: (line: LogLine) => void;
  /** Logs a failure whole and returns its reference. */
  readonly logFailure: (error: unknown, context?: Readonly<Record<string, unknown>>) => string;
}

/** Why an attempt has to unwind; the reason of its signal. */
export type Unwind = SubmissionAbortedError | SubmissionTimeoutError | Interrupted;

/** What the parts of one attempt share. */
export interface AttemptContext {
  readonly ports: AttemptPorts;
  readonly claim: Claim;
  readonly identity: string;
  /** the instance id */
  readonly id: string;
  /** epoch milliseconds by which the submission must have settled (BUD-05) */
  readonly deadline: number;
  readonly signal: AbortSignal;
  /** queued deliveries of the instance that were asked to stop */
  readonly abortedIds: Set<string>;
  /** whether the work is to be given back at the next boundary */
  readonly releasing: () => boolean;
  /** whether an admission may have come since the state was last caught up; asking takes the hint */
  readonly mayHaveQueued: () => boolean;
  readonly kindOf: (submissionId: string) => SubmissionKind;
}

/** Runs one claim to its end, in this process. The controller belongs to this epoch alone (OWN-15). */
export function startAttempt(claim: Claim, ports: AttemptPorts): RunningAttempt {
  const controller = new AbortController();
  const { row } = claim;
  const { identity, id } = partsOf(claim.path);
  let releasing = false;
  let noticed = false;
  const kinds = new Map(claim.view.rows.map((one) => [one.submissionId, one.kind]));
  const context: AttemptContext = {
    ports,
    claim,
    identity,
    id,
    deadline: (row.firstClaimedAt ?? ports.clock.now()) + row.timeoutMs,
    signal: controller.signal,
    abortedIds: new Set(
      claim.view.rows.filter((one) => one.abortRequestedAt !== undefined).map((one) => one.submissionId),
    ),
    releasing: () => releasing,
    mayHaveQueued() {
      const hint = noticed;
      noticed = false;
      return hint;
    },
    kindOf: (submissionId) => kinds.get(submissionId) ?? 'dispatch',
  };
  const unwind = (reason: Unwind) => controller.abort(reason);
  const disarm = armDeadline(context, unwind);
  // Until the last commit has told otherwise, and after a failure, work may be left.
  let leavesWork = true;
  const done = run(context)
    .then((queued) => {
      leavesWork = queued;
    })
    .catch((error: unknown) => contain(error, context))
    .finally(disarm);
  return {
    submissionId: row.submissionId,
    epoch: claim.epoch,
    done,
    leavesWork: () => noticed || leavesWork,
    aborted(submissionIds) {
      for (const submissionId of submissionIds) context.abortedIds.add(submissionId);
      if (submissionIds.includes(row.submissionId)) {
        unwind(new SubmissionAbortedError());
        armFence(context);
      }
    },
    noticed(admission) {
      noticed = true;
      if (admission) kinds.set(admission.submissionId, admission.kind);
    },
    release() {
      releasing = true;
    },
    interrupt: (reason) => unwind(new Interrupted('The attempt was interrupted.', { cause: reason })),
  };
}

/** `agents/<identity>/<instance id>`: an identity holds no `/`, so the id is the whole rest (PRM-03). */
function partsOf(path: string): { identity: string; id: string } {
  const [, identity = '', ...rest] = path.split('/');
  return { identity, id: rest.join('/') };
}

/** Resolves with whether queued rows are left behind. */
async function run(context: AttemptContext): Promise<boolean> {
  const { ports, claim, identity } = context;
  const { store, clock, residents } = ports;
  let state: Conversation;
  try {
    state = await openState(store, residents, claim.view);
  } catch (error) {
    if (!(error instanceof ConversationRecordInvariantError)) throw error;
    // REC-13: no state, so nothing to converge; the rows get their outcome all the same.
    await settleUnfoldable(context, error);
    return true;
  }
  const writer = openStreamWriter({
    store,
    clock,
    fence: { path: claim.path, ownerId: ports.ownerId, epoch: claim.epoch },
    state,
    patientUntil: context.deadline + ports.settings.execution.settleGraceMs,
    ...(claim.row.abortRequestedAt !== undefined && { abortRequestedAt: claim.row.abortRequestedAt }),
    committed: (records) => ports.committed(claim.path, records),
  });
  const agent = ports.agentOf(identity);
  const action = decide(
    {
      state,
      row: claim.row,
      agent: { identity, registered: agent !== undefined },
      deadline: context.deadline,
    },
    clock.now(),
  );
  const end: End = action.do === 'respond' ? await respond(context, writer, agent!, action.from) : action;
  await conclude(context, writer, end);
  residents.put(claim.path, state);
  return writer.queued || end.do === 'release';
}

/** A unit that contradicts the stream is a fault of the engine: it costs this submission, and no instance (RCD-68). */
async function conclude(context: AttemptContext, writer: StreamWriter, end: End): Promise<void> {
  if (end.do === 'release') return release(context, writer, end);
  try {
    await settle(context, writer, end);
  } catch (error) {
    if (!(error instanceof ConversationRecordInvariantError)) throw error;
    await settle(context, writer, { do: 'settle', outcome: 'failed', error });
  }
}

/**
 * From the deadline on nothing new starts. At half of the grace the attempt is told to unwind; at the whole of it this
 * process fences its own attempt and settles over it, so no hang outlives deadline plus grace (BUD-06).
 */
function armDeadline(context: AttemptContext, unwind: (reason: Unwind) => void): () => void {
  const { clock, settings } = context.ports;
  const grace = settings.execution.settleGraceMs;
  const rest = context.deadline - clock.now();
  const { timeoutMs } = context.claim.row;
  const cancelSignal = clock.timer(rest + grace / 2, () => unwind(new SubmissionTimeoutError({ timeoutMs })));
  const cancelFence = clock.timer(rest + grace, () => fence(context));
  return () => {
    cancelSignal();
    cancelFence();
  };
}

/** An abort that is not honored in time is settled over (ABT-07). */
function armFence(context: AttemptContext): void {
  const { clock, settings } = context.ports;
  clock.timer(settings.execution.settleGraceMs, () => fence(context));
}

function fence(context: AttemptContext): void {
  const { ports, claim } = context;
  void ports.store
    .load(claim.path)
    .then((view) =>
      view?.instance.epoch === claim.epoch && view.instance.ownerId === ports.ownerId
        ? ports.fence(claim.path)
        : undefined,
    )
    .catch((error: unknown) =>
      ports.logFailure(error, { operation: 'enforce_deadline', submission: claim.row.submissionId }),
    );
}

/**
 * Whatever escaped: the rows say what remains to be done. Nobody else takes the work of a live owner, so this process
 * claims it anew after a pause; the claim counts, which bounds a failure that lasts (REC-02, OWN-05).
 */
function contain(error: unknown, context: AttemptContext): void {
  const { ports, claim } = context;
  if (error instanceof OwnershipLostError) return;
  ports.logFailure(error, {
    operation: 'process_submission',
    submission: claim.row.submissionId,
    attempt: claim.row.attempts,
  });
  ports.clock.timer(Math.min(RECLAIM_MS * claim.row.attempts, 5000), () => fence(context));
}

const RECLAIM_MS = 100;
