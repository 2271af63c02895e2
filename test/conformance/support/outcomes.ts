import type { Agent } from '@flue/runtime';
import { renderAgent } from '@flue/runtime/testing';
import { AGENT, type AgentText } from './agent-text.ts';
import { codesOf } from './enact.ts';
import { evaluate } from './evaluate.ts';

/** What a render can break by declaring it again: the model, or the name of a tool or a state. */
export type Subject = 'model' | 't1' | 't2' | 'a' | 'b';

/** How one render went, for one choice of everything that the source cannot know. */
export interface RenderOutcome {
  /** places that it came to: hooks, and calls of custom hooks */
  readonly reached: ReadonlySet<string>;
  /** what it declared again, and the places of the hooks that the runtime refused for it, where no `catch` took that */
  readonly refused: ReadonlyMap<Subject, readonly string[]>;
  /** what ended it: its end, an error of the author's, by which nothing is judged (RULE-24), or a refused hook */
  readonly end: 'complete' | 'stopped' | 'refused';
  readonly hasModel: boolean;
}

/** Choices in one render, and renders of one source, beyond which it is too wide to judge. */
const CHOICES = 12;
const RENDERS = 400;

/**
 * Renders a generated agent once for every outcome of its conditions; `undefined` when there are too many. A refused
 * hook is noted and left undone, so that one fault does not hide the next; inside `try` it throws, as it would.
 */
export async function outcomesOf(text: AgentText): Promise<RenderOutcome[] | undefined> {
  let trace = new Trace();
  const choices = new Choices();
  const choose = (options: number) => {
    if (trace.tries > 0 && choices.next(2) === 1) throw new Error('stop');
    return choices.next(options);
  };
  const $ = {
    flag: () => choose(2) === 1,
    maybe: () => (choose(2) === 1 ? true : null),
    pick: () => 'abc'[choose(3)],
    list: () => Array.from({ length: choose(3) }, (_, index) => index),
    again: (place: string, times: number) => {
      const goesOn = choose(trace.asked(place) < times ? 2 : 1) === 1;
      // A loop within a loop is entered anew, with as many passes as before.
      if (!goesOn) trace.left(place);
      return goesOn;
    },
    enterTry: () => void trace.tries++,
    leaveTry: () => void trace.tries--,
    enter: (place: string, run: () => void) => {
      trace.reached.add(place);
      run();
    },
    hook: (place: string, run: () => unknown) => {
      trace.reached.add(place);
      try {
        run();
      } catch (error) {
        const subject = subjectOf(error);
        if (trace.tries > 0) throw new RefusedHook(subject, place);
        trace.refuse(subject, place);
      }
    },
  };
  const opaque = { flag: () => true, maybe: () => true, pick: () => 'a', list: () => [] };
  const modules = await evaluate(text.watched, { packages: { flags: opaque }, ambient: { $ } });
  const { Agent: agent } = modules.get(AGENT) as { Agent: Agent };

  return enumerate(choices, () => {
    trace = new Trace();
    return renderOnce(agent, trace);
  });
}

/** One result for every sequence of choices; `undefined` when there are too many. */
export function enumerate<T>(choices: Choices, run: () => T): T[] | undefined {
  const results: T[] = [];
  do {
    results.push(run());
    if (choices.isTruncated || results.length > RENDERS) return undefined;
  } while (choices.advance());
  return results;
}

function renderOnce(agent: Agent, trace: Trace): RenderOutcome {
  const { reached, refused } = trace;
  try {
    const { model } = renderAgent(agent, { id: '1' });
    return { reached, refused, end: 'complete', hasModel: model !== undefined };
  } catch (error) {
    if (error instanceof RefusedHook) {
      trace.refuse(error.subject, error.place);
      return { reached, refused, end: 'refused', hasModel: false };
    }
    if ((error as Error).message !== 'stop') throw error;
    return { reached, refused, end: 'stopped', hasModel: false };
  }
}

/** A hook that the runtime refused inside `try`, on its way to whoever takes it. */
class RefusedHook extends Error {
  readonly subject: Subject;
  readonly place: string;

  constructor(subject: Subject, place: string) {
    super('refused');
    this.subject = subject;
    this.place = place;
  }
}

function subjectOf(error: unknown): Subject {
  const [code] = codesOf(error);
  if (code === 'FLUE2102') return 'model';
  const name = code === 'FLUE2104' && /"(\w+)"/.exec((error as Error).message)?.[1];
  if (!name) throw error;
  return name as Subject;
}

class Trace {
  readonly reached = new Set<string>();
  readonly refused = new Map<Subject, string[]>();
  readonly #asked = new Map<string, number>();
  /** bodies of `try` that the render is in */
  tries = 0;

  refuse(subject: Subject, place: string): void {
    this.refused.set(subject, [...(this.refused.get(subject) ?? []), place]);
  }

  /** How often the loop was asked before whether it goes on; a third pass shows nothing that the second did not. */
  asked(place: string): number {
    const before = this.#asked.get(place) ?? 0;
    this.#asked.set(place, before + 1);
    return before;
  }

  left(place: string): void {
    this.#asked.delete(place);
  }
}

/** Counts through every sequence of choices, each time as long as the render asks for. */
export class Choices {
  #taken: { option: number; options: number }[] = [];
  #next = 0;
  isTruncated = false;

  next(options: number): number {
    if (options === 1) return 0;
    if (this.#next >= CHOICES) this.isTruncated = true;
    if (this.isTruncated) return 0;
    this.#taken[this.#next] ??= { option: 0, options };
    return this.#taken[this.#next++]?.option ?? 0;
  }

  /** False once every sequence has been taken. */
  advance(): boolean {
    this.#next = 0;
    for (let last = this.#taken.pop(); last; last = this.#taken.pop()) {
      if (last.option + 1 < last.options) {
        this.#taken.push({ ...last, option: last.option + 1 });
        return true;
      }
    }
    return false;
  }
}
