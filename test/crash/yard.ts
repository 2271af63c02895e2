import { appendFileSync } from 'node:fs';
import { type DispatchReceipt, dispatch, init, useModel, usePersistentState, useTool } from '@flue/runtime';
import { type ScriptStep, scriptModel } from '@flue/runtime/testing';

/*
 * A run with a durable tool: three steps, the second of which writes state, beside an ordinary tool of the same message.
 *
 * Everything is a function of what is durable, so that a process which takes over plays the same run to its end.
 */

export function Yard() {
  useModel('offline/script');
  const [, setBuilt] = usePersistentState<string[]>('built', []);
  useTool({
    name: 'build',
    description: 'Builds a shed.',
    durable: true,
    async run({ step, toolCallId }) {
      const wood = await step.do('order', () => {
        trace(`order ${toolCallId}`);
        return { planks: 12 };
      });
      await step.do('raise', () => {
        trace(`raise ${toolCallId}`);
        setBuilt((before) => [...before, `${wood.planks} planks`]);
      });
      const painted = await step.do('paint', () => {
        trace(`paint ${toolCallId}`);
        return 'red';
      });
      return { painted };
    },
  });
  useTool({
    name: 'sweep',
    description: 'Sweeps the yard.',
    run({ toolCallId }) {
      trace(`sweep ${toolCallId}`);
      return 'swept';
    },
  });
  return 'Build sheds.';
}

/** A trace of each execution outside the process: no crash takes it back. */
function trace(line: string): void {
  appendFileSync(process.env.TRACE as string, `${line} by ${process.pid}\n`);
}

export const yard = () => init(Yard, { id: '1' });

/** Sends the delivery of the run; again is safe, since its name is its idempotency key. */
export function send(): Promise<DispatchReceipt> {
  return dispatch(Yard, { id: '1', message: 'Build a shed.', idempotencyKey: 'build' });
}

/** Installs the model of the run in this process. */
export function playYard(): void {
  const call = (name: string) => ({ name, arguments: {} });
  scriptModel({
    steps({ messages }): ScriptStep {
      const isAnswered = messages.some((message) => message.role === 'tool');
      return isAnswered ? { text: 'Built.' } : { toolCalls: [call('build'), call('sweep')] };
    },
  });
}

/** The run as crash folders play it. */
export const yardRun = {
  worker: new URL('./yard-worker.ts', import.meta.url),
  agent: Yard,
  playModel: playYard,
};
