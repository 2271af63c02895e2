import { describe, expect, it } from 'vitest';
import { hookValue, noInputs, renderHooks } from './probe.test.support.ts';
import { useInitialData } from './use-initial-data.ts';

describe('useInitialData', () => {
  it('returns what the first contact recorded (IDATA-01)', () => {
    const data = hookValue(() => useInitialData<{ issue: number }>(), { initialData: { issue: 7 } });
    expect(data.issue).toBe(7);
  });

  it('stays as recorded, whatever a render does to its copy (IDATA-01)', () => {
    const recorded = { labels: ['a'] };
    const inputs = { ...noInputs, initialData: recorded };
    hookValue(() => useInitialData<{ labels: string[] }>().labels.push('b'), inputs);
    expect(recorded).toEqual({ labels: ['a'] });
    expect(hookValue(() => useInitialData(), inputs)).toEqual({ labels: ['a'] });
  });

  it('is undefined without data and in a subagent frame (IDATA-02)', () => {
    expect(hookValue(() => useInitialData())).toBeUndefined();
    renderHooks('subagent', () => expect(useInitialData()).toBeUndefined(), { initialData: 'parent’s' });
  });
});
