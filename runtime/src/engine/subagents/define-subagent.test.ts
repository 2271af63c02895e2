import { describe, expect, it } from 'vitest';
import { defineSubagent, GeneralSubagent } from './define-subagent.ts';

const good = { name: 'classifier', description: 'Classifies.', agent: () => 'Classify.' };
const define = (more: object) => () => defineSubagent({ ...good, ...more } as never);

describe('defineSubagent', () => {
  it('returns a frozen definition whose spread is a definition again (DELEG-01)', () => {
    const subagent = defineSubagent({
      ...good,
      model: 'offline/demo',
      thinkingLevel: 'low',
    });
    expect(subagent).toEqual({ ...good, model: 'offline/demo', thinkingLevel: 'low' });
    expect(Object.isFrozen(subagent)).toBe(true);
    expect(defineSubagent({ ...subagent, model: 'offline/script' }).model).toBe('offline/script');
  });

  it.each([
    ['no name', { name: undefined }, '"name" must be a non-empty string'],
    ['a blank name', { name: ' ' }, '"name" must be a non-empty string'],
    ['an empty description', { description: '' }, '"description" must be a non-empty string'],
    ['no agent function', { agent: undefined }, '"agent" must be an agent function'],
    ['a blank model', { model: ' ' }, '"model" must be a specifier'],
    ['an unknown thinking level', { thinkingLevel: 'hard' }, '"thinkingLevel" must be one of off, minimal,'],
    [
      'a misspelt field',
      { modle: 'a/b' },
      '"modle" is not a field of a subagent. It takes name, description,',
    ],
    [
      'a compaction',
      { compaction: { keepRecentTokens: -1 } },
      'compaction.keepRecentTokens must be an integer of at least 0',
    ],
  ])('refuses %s (DELEG-01, ERRT-01)', (_, more, message) => {
    expect(define(more)).toThrow(message);
    expect(define(more)).toThrow(/^\[flue\] defineSubagent\(\): subagent.*\(FLUE3301\)$/);
  });

  it('keeps the name of the blank delegate to itself (DELEG-05)', () => {
    expect(define({ name: 'flue-general' })).toThrow(
      /^\[flue\] defineSubagent\(\): the name "flue-general".*\(FLUE3302\)$/,
    );
    expect(defineSubagent({ ...GeneralSubagent, model: 'offline/demo' }).name).toBe('flue-general');
  });
});
