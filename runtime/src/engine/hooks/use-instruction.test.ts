import { describe, expect, it } from 'vitest';
import { renderHooks } from './probe.test.support.ts';
import { useInstruction } from './use-instruction.ts';

describe('useInstruction', () => {
  it('may be called any number of times, in root and subagent frames (INSTR-01)', () => {
    for (const kind of ['root', 'subagent'] as const) {
      const texts = () => ['a', 'a', 'b'].forEach(useInstruction);
      expect(renderHooks(kind, texts).instructions).toBe('a\n\na\n\nb');
    }
  });

  it.each([[''], [' \n\t'], [undefined], [1]])('refuses %j (INSTR-01)', (text) => {
    expect(() => renderHooks('bare', () => useInstruction(text as never))).toThrow(
      /^\[flue\] useInstruction\(\) takes a text.*\(FLUE2402\)$/,
    );
  });
});
