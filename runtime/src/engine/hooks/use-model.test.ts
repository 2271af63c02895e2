import { describe, expect, it } from 'vitest';
import { THINKING_LEVELS } from '../../contract/names.ts';
import { renderHooks } from './probe.test.support.ts';
import { type ModelOptions, useModel } from './use-model.ts';

const modelOf = (specifier: string, options?: ModelOptions) =>
  renderHooks('bare', () => useModel(specifier, options)).model;

describe('useModel', () => {
  it('thinks at medium unless told otherwise (MODEL-04)', () => {
    expect(modelOf('a/b')).toEqual({ specifier: 'a/b', thinkingLevel: 'medium', compaction: {} });
    for (const thinkingLevel of THINKING_LEVELS) {
      expect(modelOf('a/b', { thinkingLevel })?.thinkingLevel).toBe(thinkingLevel);
    }
  });

  it('refuses an unknown level and lists the seven (MODEL-04, THINK-01)', () => {
    const call = () => modelOf('a/b', { thinkingLevel: 'huge' as never });
    expect(call).toThrow(/"huge".*off, minimal, low, medium, high, xhigh, max\. \(FLUE2401\)$/);
  });

  it('keeps compaction: false and a compaction of one’s own (MODEL-05)', () => {
    expect(modelOf('a/b', { compaction: false })?.compaction).toBe(false);
    const compaction = { reserveTokens: 1, keepRecentTokens: 0, model: 'c/d' };
    expect(modelOf('a/b', { compaction })?.compaction).toEqual(compaction);
  });

  it.each([
    ['an unknown option', { thinking: 'low' }, 'options has no field "thinking"'],
    ['a misspelled one', { compactoin: false }, 'no field "compactoin"; did you mean "compaction"?'],
    ['an unknown compaction field', { compaction: { keep: 1 } }, 'compaction has no field "keep"'],
    ['compaction: true', { compaction: true }, 'compaction must be an object'],
    ['no reserve', { compaction: { reserveTokens: 0 } }, 'reserveTokens must be a positive integer'],
    ['half a token', { compaction: { reserveTokens: 1.5 } }, 'reserveTokens must be a positive integer'],
    ['a negative rest', { compaction: { keepRecentTokens: -1 } }, 'keepRecentTokens must be an integer'],
    ['options that are a string', 'low', 'options must be an object'],
  ])('refuses %s (MODEL-07)', (_, options, message) => {
    expect(() => modelOf('a/b', options as never)).toThrow(message);
    expect(() => modelOf('a/b', options as never)).toThrow(/^\[flue\] useModel\(\): .*\(FLUE2401\)$/);
  });

  it.each([[''], ['  '], [undefined], [42]])('refuses %j as a specifier (MODEL-02)', (specifier) => {
    const invalid = expect.objectContaining({ type: 'invalid_model_specifier' });
    expect(() => modelOf(specifier as never)).toThrow(invalid);
    if (specifier !== undefined) {
      expect(() => modelOf('a/b', { compaction: { model: specifier as never } })).toThrow(invalid);
    }
  });

  it('throws when called twice and in a subagent frame (MODEL-02)', () => {
    const twice = () =>
      renderHooks('bare', () => {
        useModel('a/b');
        useModel('a/b');
      });
    expect(twice).toThrow(/^\[flue\] useModel\(\) was called twice in one render.*\(FLUE2102\)$/);
    expect(() => renderHooks('subagent', () => useModel('a/b'))).toThrow('not available to a delegate');
  });

  it('may say something else on each render (HOOK-05)', () => {
    let model = 'a/b';
    const agent = () => useModel(model);
    expect(renderHooks('bare', agent).model?.specifier).toBe('a/b');
    model = 'c/d';
    expect(renderHooks('bare', agent).model?.specifier).toBe('c/d');
  });
});
