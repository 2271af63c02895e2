import { useModel } from '../hooks/use-model.ts';
import { useSubagent } from '../hooks/use-subagent.ts';
import { useTool } from '../hooks/use-tool.ts';

/** Agents whose events tests look at. */

export function Looker() {
  useModel('offline/script');
  useTool({ name: 'look', description: 'Looks.', run: () => ({ eta: 'Friday' }) });
  useTool({
    name: 'fail',
    description: 'Fails.',
    run() {
      throw new RangeError('out of stock');
    },
  });
}

export function Plain() {
  useModel('offline/script');
}

/** Delegates to an agent that has nothing but its instruction. */
export function Boss() {
  useModel('offline/script');
  useSubagent({ name: 'helper', description: 'Helps.', agent: () => 'Help.' });
}

/** A tool that answers when the test opens the gate, and an agent that waits for it. */
export function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const state = { calls: 0 };
  function Waiter() {
    useModel('offline/script');
    useTool({
      name: 'wait',
      description: 'Waits.',
      async run() {
        state.calls += 1;
        await opened;
        return 'waited';
      },
    });
  }
  return { open: () => open(), state, Waiter };
}

export const call = (name: string, args: object = {}) => ({ toolCalls: [{ name, arguments: args }] });
