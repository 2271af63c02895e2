import type { DeliveredMessageInput } from '../conversation/delivered-message.ts';
import { resumableCalls, unresumedCalls } from '../conversation/fold/converge.ts';
import { failureOf, overflowsInARow } from '../conversation/fold/evidence.ts';
import { findPending } from '../conversation/fold/lookups.ts';
import { deliveryRecord, nextTurn } from '../conversation/fold/queries.ts';
import { type Conversation, ROOT } from '../conversation/fold/state.ts';
import type { NewRecord } from '../conversation/records/index.ts';
import type { Agent } from '../engine/agent.ts';
import { compactAtThreshold, recoverFromOverflow } from '../engine/compaction/compact-conversation.ts';
import { resolveCompaction } from '../engine/compaction/resolve-compaction.ts';
import { DataParts } from '../engine/data-parts.ts';
import { deliveredMessage } from '../engine/delivery.ts';
import { StateBuffer } from '../engine/hooks/state-buffer.ts';
import type { LogLine } from '../engine/logger.ts';
import { callModel, recordMessage } from '../engine/model-call.ts';
import type { RenderedFrame } from '../engine/render.ts';
import { retryDelay } from '../engine/retry-delay.ts';
import { type Environments, openEnvironments } from '../engine/sandbox/environments.ts';
import { responseSoFar, runResponseSeam } from '../engine/seams.ts';
import { isDurableIn, resumeCalls, withHarness } from '../engine/subagents/delegate.ts';
import { runTools } from '../engine/tool-calls.ts';
import { render } from '../engine/turn-frame.ts';
import type { Pace, TurnScope } from '../engine/turn-scope.ts';
import { FlueError } from '../errors/flue-error.ts';
import type { CallPart } from '../ports/model-shapes.ts';
import { isStoreFailure } from '../ports/store-errors.ts';
import { Ahead } from './ahead.ts';
import { openAttachments } from './attachments.ts';
import type { AttemptContext } from './attempt-context.ts';
import { answerRequests, mainConversation, openRequests } from './compaction.ts';
import type { ResumePoint } from './decide.ts';
import { lookForDeliveries, somethingJoins } from './joins.ts';
import { openTurn, type Waking } from './open-turn.ts';
import { openingUnits } from './opening.ts';
import { tellProgress } from './progress.ts';
import type { End } from './settle.ts';
import { mayStart, type Stop, stopReason, timedOut, unwound } from './stop.ts';
import type { StreamWriter } from './stream-writer.ts';
import { terminalFailure, toolLoop } from './turn-failure.ts';
import { wouldStop } from './would-stop.ts';

/**
 * Answers one submission: turn after turn, until the model would stop and nothing waits to join. Returns how it ended
 * with the units that the end's own commit carries; writes everything before that itself.
 */
export async function respond(
  context: AttemptContext,
  writer: StreamWriter,
  agent: Agent,
  from: ResumePoint,
): Promise<End> {
  const ahead = new Ahead();
  ahead.add((batch) => openingUnits(batch, context, writer.state, from));
  return withParts(context, writer, agent, async (attempt) => {
    const end = await takeTurns(context, writer, attempt, from, ahead);
    // What was written after the last boundary goes with the settlement (STC-01).
    return end.do === 'settle' ? { ...end, writes: attempt.values.take() } : end;
  });
}

/** What author code of one attempt writes through, besides the agent itself. */
interface AttemptParts {
  readonly agent: Agent;
  readonly values: StateBuffer;
  readonly data: DataParts;
  readonly environments: Environments;
}

async function withParts(
  context: AttemptContext,
  writer: StreamWriter,
  agent: Agent,
  use: (attempt: AttemptParts) => Promise<End>,
): Promise<End> {
  const values = new StateBuffer((name) => {
    const value = writer.state.values.get(name);
    return { found: value !== undefined, value };
  });
  const { submissionId, attempts, maxAttempts } = context.claim.row;
  const data = new DataParts(writer, submissionId);
  const kind = context.kindOf(submissionId);
  context.trace.started(writer.state, { submissionId, kind, attemptCount: attempts, maxAttempts });
  const { ports, id, signal, trace } = context;
  const environments = openEnvironments({
    id,
    instance: writer.state.incarnation,
    signal,
    clock: ports.clock,
    source: ports.environment,
    emitLog: trace.log,
    credentialNotes: ports.credentialNotes,
  });
  try {
    return await use({ agent, values, data, environments });
  } finally {
    values.end();
    data.end();
    await environments.end();
  }
}

async function takeTurns(
  context: AttemptContext,
  writer: StreamWriter,
  attempt: AttemptParts,
  from: ResumePoint,
  ahead: Ahead,
): Promise<End> {
  const { lead } = ahead;
  let opened: Opened | undefined;
  try {
    opened = await openResponse(context, writer, attempt, ahead);
    const { ports } = context;
    const { scope, waking } = opened;
    note(context, ports.modelNotes.used(scope.model.info));
    let frame = withHarness(scope, waking.frame);
    const isDurable = isDurableIn(frame);
    ahead.add((batch) => batch.add(unresumedCalls(writer.state, ROOT, isDurable)));
    let stopped = from === 'would-stop';
    let serverWait = 0;
    for (;;) {
      if (stopped) {
        const end = await wouldStop(context, writer, scope, frame, ahead);
        if (end) return end;
        stopped = false;
      }
      await scope.data.flushed();
      const stop = await boundary(context, writer, { conv: ROOT, signal: context.signal }, serverWait);
      serverWait = 0;
      if (stop) return { ...stop, lead };
      if (resumableCalls(writer.state, ROOT, isDurable).length > 0) {
        // Calls that an interruption cut: their results come before anything that follows the tool batch (TSK-02, DTL-01).
        await ahead.commit(writer);
        await resumeCalls(scope, waking.frame);
        continue;
      }
      const loop = toolLoop(writer.state);
      if (loop) return { do: 'settle', outcome: 'failed', error: loop, lead };
      addWrites(ahead, scope);
      if (await isCompactionDue(context, writer)) {
        await ahead.commit(writer);
        const failure = await compactAtBoundary(context, writer, scope);
        if (failure) return { do: 'settle', outcome: 'failed', error: failure, lead };
      }
      const rendered = await openTurn(context, writer, scope, ahead, waking);
      frame = await compactAtThreshold(mainConversation(writer, scope), rendered);
      for (const line of ports.schemaNotes?.mounted(context.identity, frame.tools) ?? []) note(context, line);
      // A summary takes its time: from the deadline on no model call starts any more (BUD-06).
      const late = stopReason(context, writer);
      if (late) return { ...late, lead };
      const step = await callModel(scope, frame);
      if (step.kind === 'aborted') return { ...unwound(context), lead };
      const { message } = step;
      note(context, ports.modelNotes.answered(scope.model.info, step.end));
      ahead.add((batch) => recordMessage(batch, scope, message));
      if (message.fault) {
        const failure = terminalFailure(context, writer.state, ROOT, step);
        if (failure) return { do: 'settle', outcome: 'failed', error: failure, lead };
        await ahead.commit(writer);
        serverWait = step.end.retryAfterMs ?? 0;
        continue;
      }
      const calls = message.content.filter((part): part is CallPart => part.type === 'call');
      if (calls.length === 0) {
        stopped = true;
        continue;
      }
      await ahead.commit(writer);
      await runTools(scope, frame, message, calls);
      if (context.signal.aborted) return { ...unwound(context), lead };
    }
  } catch (error) {
    const stop = stopOn(error, context);
    // A response that is complete owes nothing to code that no longer starts (REC-08).
    const isComplete = !opened && from === 'would-stop' && stop.do === 'settle' && stop.outcome === 'failed';
    if (isComplete && !(await somethingJoins(context, writer))) {
      const { submissionId: submission } = context.claim.row;
      context.ports.logFailure(error, { operation: 'resume_at_would_stop', submission });
      return { do: 'settle', outcome: 'completed', lead };
    }
    return { ...stop, lead };
  }
}

/**
 * A request to compact has its turn: one compaction answers it and whichever else waits (RCD-45). No model is asked but
 * for the summary, and the agent renders only for the new baseline.
 */
export async function answerCompaction(
  context: AttemptContext,
  writer: StreamWriter,
  agent: Agent,
): Promise<End> {
  const ahead = new Ahead();
  const { lead } = ahead;
  return withParts(context, writer, agent, async (attempt) => {
    try {
      await writer.write((batch) => openingUnits(batch, context, writer.state, 'turn'));
      const { scope } = await openScope(context, writer, attempt, ahead);
      const { units, failure } = await answerRequests(context, writer, scope);
      ahead.add(units);
      return failure
        ? { do: 'settle', outcome: 'failed', error: failure, lead }
        : { do: 'settle', outcome: 'completed', lead };
    } catch (error) {
      return { ...stopOn(error, context), lead };
    }
  });
}

/** What ends the attempt when something was thrown: its own stop, or the failure. A store's failure is not its own. */
function stopOn(error: unknown, context: AttemptContext): Stop {
  if (context.signal.aborted) return unwound(context);
  if (!FlueError.is(error) || isStoreFailure(error)) throw error;
  return { do: 'settle', outcome: 'failed', error };
}

/** Whether something has to be compacted before anything joins and the next call is made. */
async function isCompactionDue(context: AttemptContext, writer: StreamWriter): Promise<boolean> {
  await lookForDeliveries(context, writer);
  return overflowsInARow(writer.state, ROOT) > 0 || openRequests(context, writer.state).length > 0;
}

/** Requests first: the compaction that answers them may be all that an overflow needs. */
async function compactAtBoundary(
  context: AttemptContext,
  writer: StreamWriter,
  scope: TurnScope,
): Promise<FlueError | undefined> {
  if (openRequests(context, writer.state).length > 0) {
    const { units } = await answerRequests(context, writer, scope);
    await writer.write(units);
  }
  return recoverFromOverflow(mainConversation(writer, scope));
}

function note({ trace }: AttemptContext, line: LogLine | undefined): void {
  if (line) trace.log(line);
}

/** State written since the last boundary commits at this one, even if what follows it fails (STC-01). */
function addWrites(ahead: Ahead, { values, host }: TurnScope): void {
  const writes = values
    .take()
    .map((write): NewRecord => ({ type: 'state_written', submissionId: host, ...write }));
  ahead.add((batch) => batch.add(writes));
}

interface Opened {
  readonly scope: TurnScope;
  readonly waking: Waking;
}

/** The attempt's initialization, and the observers of a response that has no model call yet (RESP-01). */
async function openResponse(
  context: AttemptContext,
  writer: StreamWriter,
  attempt: AttemptParts,
  ahead: Ahead,
): Promise<Opened> {
  const { scope, frame } = await openScope(context, writer, attempt, ahead);
  const { state } = writer;
  const { host, values } = scope;
  const isResumed = state.response?.host === host && nextTurn(state) > 1;
  if (isResumed || frame.eventHooks.useResponseStart.length === 0) {
    return { scope, waking: { frame, writes: [] } };
  }
  const metadata = runResponseSeam(scope, 'useResponseStart', frame.eventHooks, {
    metadata: state.response?.host === host ? state.response.metadata : undefined,
    soFar: responseSoFar(state),
  });
  if (metadata) {
    ahead.add((batch) => batch.add([{ type: 'metadata_merged', submissionId: host, metadata }]));
  }
  // With the seam of the delivery that woke the agent, or with the next boundary once that is closed (RESP-07).
  const isSeamOpen = !findPending(state, host)?.startSeamClosed;
  return { scope, waking: { frame, writes: isSeamOpen ? values.take() : [] } };
}

/** The attempt's initialization: the render whose model choice holds for all of it (AGENT-07a, HOOK-06). */
async function openScope(
  context: AttemptContext,
  writer: StreamWriter,
  attempt: AttemptParts,
  ahead: Ahead,
): Promise<{ readonly scope: TurnScope; readonly frame: RenderedFrame }> {
  const { ports, claim, identity, id, signal } = context;
  const attachments = openAttachments(context.store, claim.path);
  await attachments.load(writer.state);
  const base = {
    sink: writer,
    ...attempt,
    identity,
    id,
    dispatch: (message: DeliveredMessageInput) => ports.dispatch({ identity, id }, message),
  };
  const waking = wakingRecord(writer.state, claim.row.submissionId);
  const frame = render(base, waking && deliveredMessage(waking, attachments.data));
  const choice = frame.model!;
  const info = await ports.gateway.resolve(choice.specifier);
  const { environments } = attempt;
  // The spread comes last: after one that comes first, the engine takes a microsecond for each further field.
  const scope: TurnScope = {
    get workspace() {
      return environments.current;
    },
    path: claim.path,
    conv: ROOT,
    host: claim.row.submissionId,
    model: { choice, info },
    dataParts: frame.dataParts,
    compaction: await resolveCompaction(ports.gateway, choice, info),
    gateway: ports.gateway,
    clock: ports.clock,
    settings: ports.settings.execution,
    modelSettings: ports.settings.model,
    deadline: context.deadline,
    signal,
    attachment: attachments.data,
    loadAttachments: () => attachments.load(writer.state),
    trace: context.trace,
    emitLog: context.trace.log,
    emitProgress: (line) => tellProgress(context, writer, line),
    pace: paceOf(context, writer),
    ...base,
  };
  // An environment may take its time, and nobody waits for what is not durable yet (RCD-41).
  if (frame.sandbox) await ahead.commit(writer);
  await environments.follow(frame.sandbox);
  return { scope, frame };
}

/** The same boundaries for delegates, save that work is given back in the root alone (SHD-01). */
function paceOf(context: AttemptContext, writer: StreamWriter): Pace {
  return {
    async next(turns, serverWait) {
      const stop = await boundary(context, writer, turns, serverWait);
      if (!stop || stop.do === 'release') return true;
      if (stopReason(context, writer)?.do === 'settle') return false;
      throw stop.error; // it has no time left for the wait, which its siblings need not
    },
    mayStart: () => mayStart(context),
    failure: (conv, step) => terminalFailure(context, writer.state, conv, step),
  };
}

/** A fresh delivery is not placed yet, so the cursor still shows an older one. */
function wakingRecord(state: Conversation, host: string) {
  const pending = state.queue.pending.find((one) => one.submissionId === host);
  return pending?.kind === 'delivery' && !pending.placed ? pending.held.record : deliveryRecord(state);
}

/** What keeps the next turn from starting; checked before every one of them (TURN-16, BUD-05, SHD-01). */
async function boundary(
  context: AttemptContext,
  writer: StreamWriter,
  { conv, signal }: Parameters<Pace['next']>[0],
  /** what the provider asked for before the next try, milliseconds */
  serverWait: number,
): Promise<Stop | undefined> {
  const { ports } = context;
  // The deadline is looked at after the store's silence (SQL-10).
  await mayStart(context);
  const stop = stopReason(context, writer);
  if (stop) return stop;
  const failures = failuresToWaitFor(writer.state, conv);
  if (failures === 0) return undefined;
  const delay = Math.max(retryDelay(failures, ports.settings.model.retryBaseMs), serverWait);
  if (ports.clock.now() + delay >= context.deadline) return timedOut(context);
  // A wait for a retry is a boundary as well: whoever stops need not sit it out (SHD-01, RETRY-09).
  const failed = { state: writer.state, conv, host: context.claim.row.submissionId };
  const { retries: maxRetries } = ports.settings.model;
  context.trace.retrying(failed, { attempt: failures, maxRetries, delayMs: delay });
  const stopped = conv === ROOT ? AbortSignal.any([signal, context.releasing()]) : signal;
  await ports.clock.sleep(delay, stopped).catch(() => {});
  return stopReason(context, writer);
}

/** A retry waits only after a transient failure. */
function failuresToWaitFor(state: Conversation, conv: number): number {
  const failure = failureOf(state, conv);
  return failure?.fault === 'transient' ? failure.inARow : 0;
}
