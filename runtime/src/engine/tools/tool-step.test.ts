import { describe, expect, it } from 'vitest';
import { createLogger } from '../logger.ts';
import { createToolStep, NO_JOURNAL, type StepJournal } from './tool-step.ts';

function stepOver(journal: Partial<StepJournal>) {
  return createToolStep({
    journal: { ...NO_JOURNAL, ...journal },
    signal: new AbortController().signal,
    log: createLogger(() => {}, {}),
    isOver: () => false,
  });
}

describe('a step', () => {
  it('does not start where the process may start nothing any more, while a recorded one replays (OWN-07, STEP-01)', async () => {
    let ran = false;
    const lost = new Error('lost');
    const step = stepOver({
      mayStart: () => Promise.reject(lost),
      replay: (name) => (name === 'old' ? { value: 1, isUndefined: false } : undefined),
    });
    const run = () => {
      ran = true;
    };
    await expect(step.do('new', run)).rejects.toBe(lost);
    expect(await step.do('old', run)).toBe(1);
    expect(ran).toBe(false);
  });

  it('whose value cannot be recorded rejects, and what it wrote to state is taken back (STEP-01, STATE-09)', async () => {
    const dropped: string[] = [];
    const step = stepOver({
      record: () => Promise.reject(new Error('full')),
      drop: (name) => dropped.push(name),
    });
    await expect(step.do('one', () => 1)).rejects.toThrow('full');
    expect(dropped).toEqual(['one']);
  });
});
