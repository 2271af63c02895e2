import { appendFileSync } from 'node:fs';
import {
  type DispatchReceipt,
  dispatch,
  init,
  useAgentFinish,
  useAgentStart,
  useDataWriter,
  useDelivery,
  useModel,
  usePersistentState,
  useResponseFinish,
  useResponseStart,
  useTool,
} from '@flue/runtime';
import { type ScriptStep, scriptModel } from '@flue/runtime/testing';

/*
 * A run with every seam: two deliveries, the second of which joins, each greeted by a start hook that appends and writes
 * state; a finish hook that sends the model back once; observers at both ends; data written by a tool.
 *
 * Everything is a function of what is durable, so that a process which takes over plays the same run to its end.
 */

const MESSAGES = { first: 'Book room 7.', second: 'With breakfast.' } as const;

export function Desk() {
  useModel('offline/script');
  const { body } = useDelivery();
  const [, setGreeted] = usePersistentState<string[]>('greeted', []);
  const [checked, setChecked] = usePersistentState('checked', false);
  const room = useDataWriter('room');

  useResponseStart(() => ({ desk: { name: 'eu' } }));
  useAgentStart(async ({ append }) => {
    trace(`start ${body}`);
    append({ kind: 'signal', type: 'greeting', body });
    setGreeted((before) => [...before, body]);
  });
  useTool({
    name: 'book',
    description: 'Books room 7.',
    async run({ toolCallId }) {
      trace(`book ${toolCallId}`);
      await send('second');
      room({ number: 7 });
      return { booked: true };
    },
  });
  useAgentFinish(({ append }) => {
    trace('finish');
    if (checked) return;
    setChecked(true);
    append({ kind: 'signal', type: 'check', body: 'Say it again.' });
  });
  useResponseFinish(({ metadata, response }) => {
    trace('response finish');
    return { desk: { again: JSON.stringify(metadata) }, calls: response.toolCalls.length };
  });
  return 'Book rooms.';
}

/** A trace of each execution outside the process: no crash takes it back. */
function trace(line: string): void {
  appendFileSync(process.env.TRACE as string, `${line} by ${process.pid}\n`);
}

export const desk = () => init(Desk, { id: '1' });

/** Sends a delivery of the run; again is safe, since its name is its idempotency key. */
export function send(name: keyof typeof MESSAGES): Promise<DispatchReceipt> {
  return dispatch(Desk, { id: '1', message: MESSAGES[name], idempotencyKey: name });
}

/** Installs the model of the run in this process. */
export function playDesk(): void {
  scriptModel({
    steps({ messages }): ScriptStep {
      if (!messages.some((message) => message.role === 'tool')) {
        return { toolCalls: [{ name: 'book', arguments: {} }] };
      }
      const isChecked = JSON.stringify(messages).includes('Say it again.');
      return { text: isChecked ? 'Room 7, with breakfast.' : 'Booked.' };
    },
  });
}

/** The run as crash folders play it. */
export const deskRun = {
  worker: new URL('./desk-worker.ts', import.meta.url),
  agent: Desk,
  playModel: playDesk,
};
