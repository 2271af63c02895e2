import type { DeliveredMessage } from '../conversation/delivered-message.ts';
import { initialData } from '../conversation/fold/queries.ts';
import { FlueError } from '../errors/flue-error.ts';
import { isStoreFailure } from '../ports/store-errors.ts';
import { OperationFailedError } from './errors.ts';
import type { FrameInputs } from './hooks/frame.ts';
import { type RenderedFrame, renderFrame } from './render.ts';
import { ruleNamedBy } from './rule-named-by.ts';
import { errorText } from './tools/error-text.ts';
import type { TurnScope } from './turn-scope.ts';

/** What a render needs; before the first one it is not known which data parts there are. */
export type RenderScope = Pick<
  TurnScope,
  'agent' | 'identity' | 'id' | 'values' | 'sink' | 'data' | 'dispatch'
> &
  Partial<Pick<TurnScope, 'dataParts'>>;

/** One frame of the agent. A throw of author code becomes the failure that settles the submission (AGENT-12). */
export function render(scope: RenderScope, delivery: DeliveredMessage | undefined): RenderedFrame {
  const { agent, identity, id, values, sink, data, dispatch } = scope;
  const inputs: FrameInputs = {
    initialData: initialData(sink.state),
    delivery,
    readState: (name) => values.read(name),
    writeState: (name, value) => values.write(name, value),
    writeData: (name, value) => data.write(name, value),
    dispatch,
  };
  const frame = rendered(() => renderFrame({ agent, kind: 'root', name: identity, id, inputs }), identity);
  assertSameDataParts(scope.dataParts ?? frame.dataParts, frame.dataParts, identity);
  return frame;
}

function rendered(work: () => RenderedFrame, agent: string): RenderedFrame {
  try {
    return work();
  } catch (error) {
    throw renderFailure(error, agent);
  }
}

/** DATA-02: clients rely on the parts of a response, so a render may not add or remove one. */
function assertSameDataParts(before: readonly string[], now: readonly string[], agent: string): void {
  const quoted = (names: readonly string[]) => names.map((name) => `"${name}"`).join(', ');
  const added = now.filter((name) => !before.includes(name));
  const removed = before.filter((name) => !now.includes(name));
  if (added.length + removed.length === 0) return;
  const changes = [
    ...(added.length > 0 ? [`added ${quoted(added)}`] : []),
    ...(removed.length > 0 ? [`removed ${quoted(removed)}`] : []),
  ];
  const reason = `the message data changed between two renders of one response: ${changes.join(', ')}.`;
  const dev =
    'Call useDataWriter() with the same names in every render, and decide in the callbacks what to write.';
  throw new OperationFailedError(
    { operation: 'render', reason, category: 'render', agent, rule: 'FLUE2201' },
    { dev },
  );
}

function renderFailure(error: unknown, agent: string): FlueError {
  // A store's failure that author code kept and throws here is not this attempt's, which would be run again for it.
  if (FlueError.is(error) && !isStoreFailure(error) && !Object.isFrozen(error)) {
    return Object.assign(error, { meta: { ...error.meta, agent } });
  }
  const reason = 'the agent function threw.';
  const dev = errorText(error);
  const rule = ruleNamedBy(error);
  return new OperationFailedError(
    { operation: 'render', reason, category: 'render', agent, ...(rule && { rule }) },
    { cause: error, dev },
  );
}
