import { describe, expect, it } from 'vitest';
import { defineSubagent, GeneralSubagent } from '../subagents/define-subagent.ts';
import { renderHooks } from './probe.test.support.ts';
import { useSubagent } from './use-subagent.ts';

const options = { name: 'classifier', description: 'Classifies.', agent: () => 'Classify.' };
const mount = (...subagents: object[]) =>
  renderHooks('bare', () => subagents.forEach((subagent) => void useSubagent(subagent as never)));

describe('useSubagent', () => {
  it('takes a definition, a spread of one and the same object inline, in call order (MOUNT-01, DELEG-01)', () => {
    const defined = defineSubagent({ ...options, name: 'defined' });
    const overridden = { ...defined, name: 'overridden', model: 'offline/demo' };
    expect(mount(defined, overridden, options, GeneralSubagent).subagents).toEqual([
      defined,
      overridden,
      options,
      GeneralSubagent,
    ]);
  });

  it('checks an inline object as defineSubagent does, with the same words (MOUNT-01)', () => {
    for (const fault of [{ description: '' }, { agent: 'x' }, { modle: 'a/b' }, { name: 'flue-general' }]) {
      const messageOf = (call: () => unknown) => {
        try {
          call();
        } catch (error) {
          return (error as Error).message.replace(/^\[flue\] \w+\(\)/, '');
        }
        return undefined;
      };
      const defined = messageOf(() => defineSubagent({ ...options, ...fault } as never));
      expect(messageOf(() => mount({ ...options, ...fault }))).toBe(defined);
      expect(defined).toMatch(/\(FLUE330[12]\)$/);
    }
  });

  it('throws one name twice from the second mount (MOUNT-03, AGENT-11)', () => {
    expect(() => mount(options, { ...options })).toThrow(
      /two subagents are named "classifier" in one render.*\(FLUE2104\)$/,
    );
  });

  it('does not run the delegate (DELEG-02)', () => {
    const agent = () => {
      throw new Error('rendered');
    };
    expect(mount({ ...options, agent }).subagents).toHaveLength(1);
  });
});
