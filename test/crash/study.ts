import { appendFileSync } from 'node:fs';
import { type DispatchReceipt, dispatch, init, useAgentStart, useModel, useTool } from '@flue/runtime';
import { type ScriptStep, scriptModel } from '@flue/runtime/testing';

/*
 * The run of harnesses that is killed: a start hook prompts the model about the message, then a tool prompts it about a
 * review, on the way to which the scratch conversation calls an ordinary tool, then a durable tool prompts it in a step.
 *
 * Everything is a function of what is durable, so that a process which takes over plays the same run to its end.
 */

export function Study() {
  useModel('offline/script');
  useAgentStart(async ({ harness, append }) => {
    trace('start');
    const { text } = await harness.prompt('Judge it.');
    append({ kind: 'signal', type: 'judged', body: text });
  });
  useTool({
    name: 'review',
    description: 'Reviews.',
    harness: true,
    async run({ harness }) {
      trace('review');
      return (await harness.prompt('Review it.')).text;
    },
  });
  useTool({
    name: 'draft',
    description: 'Drafts.',
    harness: true,
    durable: true,
    async run({ harness, step }) {
      trace('draft');
      const outline = await step.do('outline', async () => (await harness.prompt('Outline it.')).text);
      await step.do('publish', () => trace('publish'));
      return outline;
    },
  });
  useTool({
    name: 'look',
    description: 'Looks.',
    run({ toolCallId }) {
      trace(`look ${toolCallId}`);
      return 'seen';
    },
  });
  return 'Study.';
}

/** A trace outside the process: no crash takes it back. */
function trace(line: string): void {
  appendFileSync(process.env.TRACE as string, `${line} by ${process.pid}\n`);
}

export const study = () => init(Study, { id: '1' });

/** Again is safe: the message has a name. */
export function order(): Promise<DispatchReceipt> {
  return dispatch(Study, { id: '1', message: 'Study it.', idempotencyKey: 'study' });
}

/** What scratch conversations answer, by the prompt that they begin with. */
const ANSWERS: Readonly<Record<string, string>> = {
  'Judge it.': 'Worth it.',
  'Review it.': 'Reviewed.',
  'Outline it.': 'Outlined.',
};

/** Installs the model of the run in this process. HANG: the prompt that gets no answer. */
export function playStudy(): void {
  scriptModel({
    steps({ messages }): ScriptStep {
      const texts = messages.map(({ content }) =>
        content.map((part) => ('text' in part ? part.text : '')).join(''),
      );
      const [prompt = ''] = texts;
      const results = messages.flatMap((message, at) => (message.role === 'tool' ? [texts[at]] : []));
      const answer = ANSWERS[prompt];
      if (answer !== undefined) {
        trace(`model ${prompt}`);
        if (process.env.HANG === prompt) return { text: answer, delayMs: 3_600_000 };
        if (prompt === 'Review it.' && results.length === 0) return call('look');
        return { text: answer };
      }
      if (results.length === 0) return call('review');
      return results.length === 1 ? call('draft') : { text: `Studied: ${results.join(' ')}` };
    },
  });
}

function call(name: string): ScriptStep {
  return { toolCalls: [{ name, arguments: {} }] };
}

/** The run as crash folders play it. */
export const studyRun = {
  worker: new URL('./study-worker.ts', import.meta.url),
  agent: Study,
  playModel: playStudy,
};
