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
  /** what it declared again, and the places of the hooks that the runtime refused for it */
  readonly refused: ReadonlyMap<Subject, readonly string[]>;
  /** false where the author's own throw ended it: nothing is judged by such a render (RULE-24) */
  readonly isComplete: boolean;
  readonly hasModel: boolean;
}

/** Choices in one render, and renders of one source, beyond which it is too wide to judge. */
const CHOICES = 12;
const RENDERS = 400;

/**
 * Renders a generated agent once for every outcome of its conditions; `undefined` when there are too many. A refused
 * hook is noted and left undone, so that one fault does not hide the next.
 */
export async function outcomesOf(text: AgentText): Promise<RenderOutcome[] | undefined> {
  let trace = new Trace();
  const choices = new Choices();
  const choose = (guarded: boolean, options: number) => {
    if (guarded && choices.next(2) === 1) throw new Error('stop');
    return choices.next(options);
  };
  const $ = {
    flag: (guarded: boolean) => choose(guarded, 2) === 1,
    pick: (guarded: boolean) => 'abc'[choose(guarded, 3)],
    list: (guarded: boolean) => Array.from({ length: choose(guarded, 3) }, (_, index) => index),
    again: (guarded: boolean, place: string) => choose(guarded, trace.repeats(place) ? 1 : 2) === 1,
    enter: (place: string, run: () => void) => {
      trace.reached.add(place);
      run();
    },
    hook: (place: string, run: () => unknown) => {
      trace.reached.add(place);
      try {
        run();
      } catch (error) {
        trace.refuse(subjectOf(error), place);
      }
    },
  };
  const opaque = { flag: () => true, pick: () => 'a', list: () => [] };
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

function renderOnce(agent: Agent, { reached, refused }: Trace): RenderOutcome {
  try {
    const { model } = renderAgent(agent, { id: '1' });
    return { reached, refused, isComplete: true, hasModel: model !== undefined };
  } catch (error) {
    if ((error as Error).message !== 'stop') throw error;
    return { reached, refused, isComplete: false, hasModel: false };
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
  readonly #repeated = new Set<string>();

  refuse(subject: Subject, place: string): void {
    this.refused.set(subject, [...(this.refused.get(subject) ?? []), place]);
  }

  /** Whether the loop has had its second pass; a third shows nothing that the second did not. */
  repeats(place: string): boolean {
    const before = this.#repeated.has(place);
    this.#repeated.add(place);
    return before;
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
