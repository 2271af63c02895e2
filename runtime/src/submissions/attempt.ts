import { setMaxListeners } from 'node:events';
import { ConversationRecordInvariantError } from '../conversation/errors.ts';
import { findPending } from '../conversation/fold/lookups.ts';
import type { Conversation } from '../conversation/fold/state.ts';
import type { Agent } from '../engine/agent.ts';
import { Trace } from '../engine/events/trace.ts';
import { FlueError } from '../errors/flue-error.ts';
import type { Claim } from '../ports/store.ts';
import type { OwnershipLostError } from '../ports/store-errors.ts';
import type { AttemptContext, AttemptPorts } from './attempt-context.ts';
import { type Action, decide } from './decide.ts';
import { SubmissionAbortedError, SubmissionTimeoutError } from './errors.ts';
import { Interrupted } from './interrupted.ts';
import { openState } from './open-state.ts';
import { patientStore } from './patient-store.ts';
import { answerCompaction, respond } from './respond.ts';
import { type End, release, settle, settleStopped, settleUnfoldable } from './settle.ts';
import { openStreamWriter, type StreamWriter } from './stream-writer.ts';
import type { Ending, RunningAttempt } from './supervisor.ts';

/** Runs one claim to its end, in this process. The controller belongs to this epoch alone (OWN-15). */
export function startAttempt(claim: Claim, ports: AttemptPorts): RunningAttempt {
  const controller = new AbortController();
  // Every call of a tool batch listens, and what tools start with it: the platform takes more than ten for a leak.
  setMaxListeners(0, controller.signal);
  const releasing = new AbortController();
  let isReleasing = false;
  const { clock, settings } = ports;
  const { row } = claim;
  const { identity, id } = partsOf(claim.path);
  const deadline = (row.firstClaimedAt ?? clock.now()) + row.timeoutMs;
  const grace = settings.execution.settleGraceMs;
  const patientUntil = deadline + grace;
  let noticed = false;
  let settled = false;
  let writer: StreamWriter | undefined;
  const events = ports.events({ instanceId: id, agentName: identity, submissionId: row.submissionId });
  const kinds = new Map(claim.view.rows.map((one) => [one.submissionId, one.kind]));
  const context: AttemptContext = {
    ports,
    claim,
    identity,
    id,
    events,
    trace: new Trace(events),
    deadline,
    signal: controller.signal,
    store: patientStore(ports.store, clock, patientUntil),
    patientUntil,
    abortedIds: new Set(
      claim.view.rows.filter((one) => one.abortRequestedAt !== undefined).map((one) => one.submissionId),
    ),
    // Made when somebody asks for it: a signal takes longer than most of what an attempt does.
    releasing: () => releasing.signal,
    isReleasing: () => isReleasing,
    mayHaveQueued() {
      const hint = noticed;
      noticed = false;
      return hint;
    },
    kindOf: (submissionId) => kinds.get(submissionId) ?? 'dispatch',
  };
  const unwind = (reason: unknown) => controller.abort(reason);
  const fence = () => ports.fence(claim.path, claim.epoch);
  // From the deadline on nothing new starts. At half of the grace the attempt is told to unwind; at the whole of it
  // this process fences its own attempt and settles over it, so no hang outlives deadline plus grace (BUD-06).
  const rest = deadline - clock.now();
  const timers = [
    clock.timer(rest + grace / 2, () => unwind(new SubmissionTimeoutError({ timeoutMs: row.timeoutMs }))),
    clock.timer(rest + grace, fence),
  ];
  const disarm = () => {
    for (const cancel of timers.splice(0)) cancel();
  };
  const stopQueued = (find: (open: StreamWriter) => Promise<void>) => {
    if (!writer) return;
    find(writer).catch((error: unknown) => {
      if (!FlueError.is(error, 'ownership_lost')) report(error, context, 'stop_queued');
    });
  };
  const open = (opened: StreamWriter) => {
    writer = opened;
    // With a stopped head they share its settlement (ABT-05).
    const stops = context.abortedIds.size > 0 && !context.abortedIds.has(row.submissionId);
    if (stops) stopQueued((live) => settleStopped(context, live));
  };
  const done = run(context, { open, lost: unwind, settled: () => (settled = true) })
    .then((queued): Ending => (queued ? 'work_left' : 'idle'))
    .catch((error: unknown): Ending => {
      // Whatever the attempt has started and not awaited has to end with it (OWN-05).
      unwind(error);
      context.trace.ended(error);
      report(error, context, 'process_submission');
      return FlueError.is(error, 'ownership_lost') ? 'idle' : 'failed';
    })
    .finally(() => {
      context.trace.ended();
      writer = undefined;
      disarm();
    });
  return {
    submissionId: row.submissionId,
    epoch: claim.epoch,
    done,
    aborted(submissionIds) {
      const isNew = submissionIds.some((one) => !context.abortedIds.has(one));
      for (const submissionId of submissionIds) context.abortedIds.add(submissionId);
      if (submissionIds.includes(row.submissionId) && !controller.signal.aborted) {
        unwind(new SubmissionAbortedError());
        // One that is not honored in time is settled over (ABT-07).
        timers.push(clock.timer(grace, fence));
      } else if (isNew) {
        stopQueued((live) => settleStopped(context, live));
      }
    },
    noticed(admission) {
      noticed = true;
      if (admission) kinds.set(admission.submissionId, admission.kind);
    },
    hasMissed: () => noticed,
    hasSettled: () => settled,
    review: () => stopQueued((live) => settleStopped(context, live, { ask: true })),
    release() {
      isReleasing = true;
      releasing.abort();
    },
    interrupt(reason) {
      disarm();
      unwind(new Interrupted('The attempt was interrupted.', { cause: reason }));
    },
  };
}

/** One line for each failure that was contained (REC-15). */
function report(error: unknown, { ports, claim, events }: AttemptContext, operation: string): void {
  const { submissionId: submission, attempts: attempt } = claim.row;
  ports.containFailure(error, { operation, submission, attempt }, events);
}

/** `agents/<identity>/<instance id>`: an identity holds no `/`, so the id is the whole rest (PRM-03). */
function partsOf(path: string): { identity: string; id: string } {
  const [, identity = '', ...rest] = path.split('/');
  return { identity, id: rest.join('/') };
}

/** Resolves with whether queued rows are left behind. */
async function run(
  context: AttemptContext,
  on: {
    readonly open: (writer: StreamWriter) => void;
    readonly lost: (error: OwnershipLostError) => void;
    readonly settled: () => void;
  },
): Promise<boolean> {
  const { ports, claim, identity, store } = context;
  const { clock, residents, own } = ports;
  let state: Conversation;
  try {
    state = await openState(store, { residents, own }, claim);
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
    ...(claim.row.abortRequestedAt !== undefined && { abortRequestedAt: claim.row.abortRequestedAt }),
    committed(records, batch) {
      if (!findPending(state, claim.row.submissionId)) on.settled();
      context.trace.committed(records, batch, state);
      ports.committed(claim, records);
    },
    lost: on.lost,
  });
  on.open(writer);
  const agent = ports.agentOf(identity);
  const action = decide(
    {
      state,
      row: claim.row,
      aborted: context.abortedIds.has(claim.row.submissionId),
      agent: { identity, registered: agent !== undefined },
      deadline: context.deadline,
    },
    clock.now(),
  );
  const end = await endOf(action, context, writer, agent);
  await conclude(context, writer, end);
  // A stop of queued work may come while this ends; a state that it still writes to is nobody else's to take.
  if (writer.end()) residents.put(claim.path, state);
  return writer.queued || end.do === 'release';
}

async function endOf(
  action: Action,
  context: AttemptContext,
  writer: StreamWriter,
  agent: Agent | undefined,
): Promise<End> {
  if (action.do === 'respond') return respond(context, writer, agent!, action.from);
  return action.do === 'compact' ? answerCompaction(context, writer, agent!) : action;
}

/**
 * What cannot be written as it is, because a unit contradicts the stream or is too large for the store, costs this
 * submission and no instance (RCD-68, STR-07).
 */
async function conclude(context: AttemptContext, writer: StreamWriter, end: End): Promise<void> {
  if (end.do === 'release') return release(context, writer, end);
  try {
    await settle(context, writer, end);
  } catch (error) {
    if (!(error instanceof ConversationRecordInvariantError) && !FlueError.is(error, 'record_too_large')) {
      throw error;
    }
    await settle(context, writer, { do: 'settle', outcome: 'failed', error });
  }
}
