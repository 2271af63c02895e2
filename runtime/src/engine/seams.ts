import { NO_USAGE } from '../conversation/add-usage.ts';
import { responseText, responseUsage } from '../conversation/fold/queries.ts';
import type { Conversation } from '../conversation/fold/state.ts';
import { mergeMetadata } from '../conversation/metadata.ts';
import { misuse } from '../errors/flue-error.ts';
import { unknownField } from '../errors/unknown-field.ts';
import type { JsonObject } from '../ports/model-shapes.ts';
import { assertRecordable } from './assert-recordable.ts';
import { OperationFailedError } from './errors.ts';
import type { HarnessOpener, HeldHarness } from './harness/held-harness.ts';
import type {
  AgentAppendMessage,
  AgentResponse,
  AgentStartContext,
  EventHook,
  EventHooks,
} from './hooks/event-hooks.ts';
import type { StateBuffer } from './hooks/state-buffer.ts';
import { cloneJson, snapshotJson } from './json-value.ts';
import { createLogger, type FlueLogger, type LogLine } from './logger.ts';
import { ruleNamedBy } from './rule-named-by.ts';
import { signalFields } from './signal-fields.ts';
import { errorText } from './tools/error-text.ts';
import { inUnit } from './unit.ts';

/*
 * The callbacks of event hooks, run at their seams.
 *
 * E1  What the callbacks of one seam append and write is one unit: the caller records all of it in one append, or, after
 *     a throw or an abort, nothing (SEAM-02).
 * E2  Nothing that a callback does after it has settled reaches the unit (SEAM-06).
 * E3  An abort ends a seam one macrotask later, whether or not its callbacks listen, as it ends a tool (TBR-06).
 */

/** What a seam needs of the response that it belongs to. */
interface ResponseScope {
  readonly identity: string;
  readonly path: string;
  readonly values: StateBuffer;
  readonly signal: AbortSignal;
  readonly emitProgress: (line: LogLine) => void;
}

export interface SeamScope extends ResponseScope {
  readonly openHarness: HarnessOpener;
}

/** Runs the callbacks of one message at once; their appends come in declaration order (START-02, START-03). */
export async function runStartSeam(
  scope: SeamScope,
  callbacks: EventHooks['useAgentStart'],
): Promise<AgentAppendMessage[]> {
  return asUnit(scope, async (within) => {
    const runs = callbacks.map((run, index) => {
      const at: Place = { hook: 'useAgentStart', index };
      return withContext(scope, at, (context) => within(() => run(context)));
    });
    const ended = await beforeAbort(scope.signal, Promise.allSettled(runs.map((run) => run.done)));
    const failures = ended.flatMap((one, index) =>
      one.status === 'rejected' ? [{ index, error: one.reason as unknown }] : [],
    );
    if (failures.length > 0) throw hookFailure(scope, 'useAgentStart', failures);
    return runs.flatMap((run) => run.appended);
  });
}

/**
 * Runs the callbacks of a would-stop point, one after the other (FIN-01); nothing appended means that none needs more.
 * `accept` sees whether anything was, and refuses the unit by throwing.
 */
export async function runFinishSeam(
  scope: SeamScope,
  callbacks: EventHooks['useAgentFinish'],
  response: AgentResponse,
  accept: (appended: readonly AgentAppendMessage[]) => void,
): Promise<AgentAppendMessage[]> {
  return asUnit(scope, async (within) => {
    const appended: AgentAppendMessage[] = [];
    for (const [index, run] of callbacks.entries()) {
      const at: Place = { hook: 'useAgentFinish', index };
      const one = withContext(scope, at, (context) =>
        within(() => run(Object.assign(context, { response }))),
      );
      await beforeAbort(scope.signal, one.done).catch((error: unknown) => {
        if (scope.signal.aborted) throw error;
        throw hookFailure(scope, 'useAgentFinish', [{ index, error }]);
      });
      appended.push(...one.appended);
    }
    accept(appended);
    return appended;
  });
}

/**
 * Asks the synchronous observers of a response, in declaration order, each with what the former ones made of the
 * metadata (RESP-03, RESP-05). Returns what they add, `undefined` when that is nothing.
 */
export function runResponseSeam(
  scope: ResponseScope,
  hook: 'useResponseStart' | 'useResponseFinish',
  hooks: EventHooks,
  response: { readonly metadata: JsonObject | undefined; readonly soFar: AgentResponse },
): JsonObject | undefined {
  const seam = {};
  let added: JsonObject | undefined;
  for (const [index, run] of hooks[hook].entries()) {
    const at: Place = { hook, index };
    const { log, end } = loggerFor(scope, at);
    const metadata = cloneJson(mergeMetadata(response.metadata, added ?? {}));
    try {
      const returned = inUnit({ instance: scope.path, seam }, () =>
        run({ metadata, log, response: response.soFar }),
      );
      const more = metadataOf(returned, hook);
      if (!more) continue;
      added = mergeMetadata(added, more);
      assertRecordable({ type: 'metadata_merged', metadata: added });
    } catch (error) {
      scope.values.dropSeam(seam);
      throw hookFailure(scope, hook, [{ index, error }]);
    } finally {
      end();
    }
  }
  return added;
}

/** What hooks see of the response in progress, as the records have it (FIN-04). */
export function responseSoFar(state: Conversation): AgentResponse {
  return {
    toolCalls: (state.response?.calls ?? []).map(({ tool, isError }) => ({ tool, isError })),
    usage: cloneJson(responseUsage(state) ?? NO_USAGE),
    text: responseText(state),
  };
}

interface Place {
  readonly hook: EventHook;
  /** among the callbacks that this hook declared in the render */
  readonly index: number;
}

/** E1: what was written in a seam that did not come to its end never happened. */
async function asUnit<T>(scope: SeamScope, work: (within: <R>(run: () => R) => R) => Promise<T>): Promise<T> {
  const seam = {};
  try {
    return await work((run) => inUnit({ instance: scope.path, seam }, run));
  } catch (error) {
    scope.values.dropSeam(seam);
    throw error;
  }
}

interface Run {
  readonly done: Promise<void>;
  readonly appended: readonly AgentAppendMessage[];
}

function withContext(
  scope: SeamScope,
  at: Place,
  run: (context: AgentStartContext) => void | Promise<void>,
): Run {
  const appended: AgentAppendMessage[] = [];
  const { log, end } = loggerFor(scope, at);
  let open = true;
  let held: HeldHarness | undefined;
  const context: AgentStartContext = {
    get harness() {
      held ??= scope.openHarness({ hook: at.hook });
      // First asked for by what its callback left behind: it is over as well.
      if (!open) void held.close();
      return held.harness;
    },
    append(message) {
      if (!open) {
        throw misuse(
          `append() was called after its ${at.hook}() callback had settled. Await what it waits for, or send the ` +
            'message through useDispatchMessage().',
        );
      }
      appended.push(parseAppend(message));
    },
    signal: scope.signal,
    log,
  };
  const done = (async () => run(context))().finally(async () => {
    open = false;
    end();
    await held?.close();
  });
  return { done, appended };
}

function loggerFor(
  { emitProgress }: ResponseScope,
  { hook, index }: Place,
): { log: FlueLogger; end: () => void } {
  let open = true;
  const emit = (line: LogLine) => {
    if (open) emitProgress(line);
  };
  return {
    log: createLogger(emit, { hook, hookIndex: index }),
    end: () => {
      open = false;
    },
  };
}

const APPEND_FIELDS = ['kind', 'type', 'body', 'attributes', 'tagName'];

/** SEAM-05. */
function parseAppend(message: unknown): AgentAppendMessage {
  const refuse = (field: string, rule: string) => misuse(`append(): ${field} ${rule}.`, 'FLUE4005');
  if (typeof message !== 'object' || message === null || Array.isArray(message)) {
    throw refuse('the message', 'must be an object of kind "signal"');
  }
  const fields = message as Record<string, unknown>;
  if (fields.kind === 'user') {
    throw refuse('kind', 'must be "signal". To deliver a user message, send it through useDispatchMessage()');
  }
  if (fields.kind !== 'signal') throw refuse('kind', 'must be "signal"');
  const problem = unknownField(fields, APPEND_FIELDS);
  if (problem) throw misuse(`append(): a signal ${problem}`, 'FLUE4005');
  return { kind: 'signal', ...signalFields(fields, refuse) };
}

/** RESP-03: the value has to be there at once, and to be something that can be merged. */
function metadataOf(returned: unknown, hook: EventHook): JsonObject | undefined {
  if (returned === undefined || returned === null) return undefined;
  if (typeof returned === 'object' && typeof (returned as { then?: unknown }).then === 'function') {
    // Nobody awaits it, so its rejection would end the process.
    Promise.resolve(returned).catch(() => {});
    throw misuse(`${hook}(): the callback returned a promise. It must be synchronous.`, 'FLUE2307');
  }
  const value = typeof returned === 'object' ? snapshotJson(returned, 'metadata') : undefined;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw misuse(`${hook}(): the callback must return a plain object or nothing.`, 'FLUE2307');
  }
  return value;
}

/** E3. What settles later is observed and dropped. */
async function beforeAbort<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  work.catch(() => {});
  signal.throwIfAborted();
  let stopListening = () => {};
  const aborted = new Promise<never>((_, reject) => {
    // The pause lets a callback that listens end in its own way. It is an order of events, not a time.
    const abandon = () => setTimeout(() => reject(signal.reason), 0);
    signal.addEventListener('abort', abandon, { once: true });
    stopListening = () => signal.removeEventListener('abort', abandon);
  });
  aborted.catch(() => {});
  try {
    const value = await Promise.race([work, aborted]);
    signal.throwIfAborted();
    return value;
  } finally {
    stopListening();
  }
}

/** SEAM-03, START-02: several failures become one, which holds them all. */
function hookFailure(
  { identity }: ResponseScope,
  hook: EventHook,
  failures: readonly { readonly index: number; readonly error: unknown }[],
): OperationFailedError {
  const [first] = failures;
  const cause =
    failures.length === 1
      ? first!.error
      : new AggregateError(
          failures.map(({ error }) => error),
          `[flue] ${failures.length} callbacks of ${hook}() threw.`,
        );
  const places = failures.map(({ index }) => `hook #${index}`).join(' and ');
  const texts = failures.map(({ error }) => errorText(error));
  const rule = failures.map(({ error }) => ruleNamedBy(error)).find((code) => code !== undefined);
  return new OperationFailedError(
    {
      operation: 'hook',
      reason: `${hook}() ${places} threw.`,
      category: 'hook',
      hook,
      hookIndex: first!.index,
      agent: identity,
      ...(rule && { rule }),
    },
    { cause, dev: texts.join('\n') },
  );
}
