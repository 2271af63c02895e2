import { describe, expect, it } from 'vitest';
import { NO_USAGE } from '../adapters/models/usage.ts';
import type { ModelInfo } from '../ports/model-gateway.ts';
import { createModelNotes } from './model-notes.ts';

const model = (more: Partial<ModelInfo> = {}): ModelInfo => ({
  provider: 'mine',
  id: 'big',
  api: 'openai-completions',
  contextWindow: 0,
  maxTokens: 0,
  reasoning: false,
  input: ['text'],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  source: 'registration',
  ...more,
});

describe('what is told of a model', () => {
  it('names what nobody declared, at its first use and never again (SPEC-08, PC-026)', () => {
    const notes = createModelNotes();
    expect(notes.used(model())).toMatchObject({
      level: 'warn',
      attributes: { model: 'mine/big', unknown: ['contextWindow', 'maxTokens'] },
    });
    expect(notes.used(model())).toBeUndefined();
    expect(notes.used(model({ id: 'other', maxTokens: 10 }))!.message).toContain(
      'contextWindow of this model is',
    );
    expect(notes.used(model({ id: 'known', contextWindow: 10, maxTokens: 10 }))).toBeUndefined();
    expect(notes.used(model({ id: 'script', source: 'offline' }))).toBeUndefined();
  });

  it('is once that it reports no usage, and not when it failed (USAGE-04)', () => {
    const notes = createModelNotes();
    const fault = { class: 'transient', message: 'no' } as const;
    expect(notes.answered(model(), { usage: NO_USAGE, fault })).toBeUndefined();
    expect(notes.answered(model(), { usage: { ...NO_USAGE, totalTokens: 1 } })).toBeUndefined();
    expect(notes.answered(model(), { usage: NO_USAGE })).toMatchObject({
      level: 'warn',
      attributes: { model: 'mine/big' },
    });
    expect(notes.answered(model(), { usage: NO_USAGE })).toBeUndefined();
  });
});
