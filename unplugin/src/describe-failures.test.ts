import { describe, expect, it } from 'vitest';
import { describeFailures } from './describe-failures.ts';

describe('rules that broke', () => {
  it('are one FLUE5006 that names each with its file (RULE-05)', () => {
    const failures = [
      { rule: 'FLUE2101', message: 'no such binding', file: 'src/a.ts' },
      { rule: 'FLUE5006', message: 'src/b.ts: too deep' },
    ];
    expect(describeFailures(failures)).toBe(
      'FLUE5006 analysis-limited: the check is incomplete, because a rule broke: ' +
        'FLUE2101 at src/a.ts (no such binding), FLUE5006 (src/b.ts: too deep).',
    );
  });

  it('are not spoken of when there are none', () => {
    expect(describeFailures([])).toBeUndefined();
  });
});
