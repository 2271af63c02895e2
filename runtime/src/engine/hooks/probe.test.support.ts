import type { JsonValue } from '../../ports/model-shapes.ts';
import type { Agent } from '../agent.ts';
import { type RenderedFrame, type RenderRequest, renderFrame } from '../render.ts';
import { inUnit } from '../unit.ts';
import type { FrameInputs } from './frame.ts';
import { StateBuffer } from './state-buffer.ts';
import { useModel } from './use-model.ts';

export const noInputs: FrameInputs = {
  initialData: undefined,
  delivery: undefined,
  readState: () => ({ found: false, value: undefined }),
  writeState: () => {},
  writeData: () => {},
  dispatch: () => Promise.reject(new Error('nobody to send to')),
};

/** Renders hook calls in a frame of the given kind; a root frame gets its model. */
export function renderHooks(
  kind: RenderRequest['kind'],
  body: () => unknown,
  inputs: Partial<FrameInputs> = {},
): RenderedFrame {
  const agent = (() => {
    if (kind === 'root') useModel('offline/demo');
    body();
  }) as Agent;
  return renderFrame({ agent, kind, id: 'i1', inputs: { ...noInputs, ...inputs } });
}

/** What hooks return in a render, for use after it. */
export function hookValue<T>(hook: () => T, inputs: Partial<FrameInputs> = {}): T {
  let value: T | undefined;
  renderHooks(
    'root',
    () => {
      value = hook();
    },
    inputs,
  );
  return value as T;
}

/** A write buffer over fixed committed values. */
export function bufferOver(values: Readonly<Record<string, JsonValue>> = {}): StateBuffer {
  return new StateBuffer((name) => ({ found: Object.hasOwn(values, name), value: values[name] }));
}

/** Runs writes as part of a tool call. */

export function inCall<T>(call: string, work: () => T): T {
  return inUnit({ instance: 'agents/A/i1', call }, work);
}
