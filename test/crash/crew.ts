import { appendFileSync } from 'node:fs';
import { type DispatchReceipt, dispatch, init, useModel, useSubagent, useTool } from '@flue/runtime';
import { type ScriptStep, scriptModel } from '@flue/runtime/testing';

/*
 * The delegation that is killed: an agent hands two tasks out at once, one of them hands a task on, and each delegate
 * calls an ordinary tool on the way.
 *
 * Everything is a function of what is durable, so that a process which takes over plays the same run to its end.
 */

function useTraced(name: string): void {
  useTool({
    name,
    description: `Does ${name}.`,
    run({ toolCallId }) {
      trace(`${name} ${toolCallId}`);
      return 'ok';
    },
  });
}

const hauler = { name: 'hauler', description: 'Hauls.', agent: () => useTraced('haul') };
const painter = { name: 'painter', description: 'Paints.', agent: () => useTraced('mix') };
const mason = {
  name: 'mason',
  description: 'Builds.',
  agent() {
    useTraced('lay');
    useSubagent(hauler);
  },
};

export function Crew() {
  useModel('offline/script');
  // WITHOUT: a deployment in the meantime took this delegate away.
  for (const delegate of [mason, painter]) if (process.env.WITHOUT !== delegate.name) useSubagent(delegate);
  return 'Build.';
}

/** A trace outside the process: no crash takes it back. */
function trace(line: string): void {
  appendFileSync(process.env.TRACE as string, `${line} at ${Date.now()} by ${process.pid}\n`);
}

export const crew = () => init(Crew, { id: '1' });

/** Again is safe: the message has a name. */
export function order(): Promise<DispatchReceipt> {
  return dispatch(Crew, { id: '1', message: 'Build the house.', idempotencyKey: 'house' });
}

type Call = NonNullable<ScriptStep['toolCalls']>[number];
const task = (agent: string): Call => ({ name: 'task', arguments: { agent, prompt: `Be a ${agent}.` } });
const use = (name: string): Call => ({ name, arguments: {} });

/** What each agent calls first, and says once it has the results. */
const PARTS: Readonly<Record<string, { readonly calls: readonly Call[]; readonly says: string }>> = {
  mason: { calls: [use('lay'), task('hauler')], says: 'Wall.' },
  painter: { calls: [use('mix')], says: 'Paint.' },
  hauler: { calls: [use('haul')], says: 'Stones.' },
};

/** Installs the model of the run in this process. HANG: the agents that get no answer. SLOW: milliseconds for others. */
export function playCrew(): void {
  scriptModel({
    steps({ messages, options: { agent = '' } }): ScriptStep {
      trace(`model ${agent}`);
      const part = PARTS[agent];
      const results = messages.filter((message) => message.role === 'tool');
      if (!part) {
        const said = results.map(({ content }) =>
          content.map((one) => ('text' in one ? one.text : '')).join(''),
        );
        return said.length > 0
          ? { text: `Built: ${said.join(' ')}` }
          : { toolCalls: [task('mason'), task('painter')] };
      }
      const delayMs = process.env.HANG?.split(' ').includes(agent)
        ? 3_600_000
        : Number(process.env.SLOW ?? 0);
      return results.length > 0 ? { text: part.says, delayMs } : { toolCalls: part.calls, delayMs };
    },
  });
}

/** The run as crash folders play it. */
export const crewRun = {
  worker: new URL('./crew-worker.ts', import.meta.url),
  agent: Crew,
  playModel: playCrew,
};
