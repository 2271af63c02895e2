import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runFlue } from '../testing/run-flue.fixture.ts';
import { AGENT } from '../testing/sources.fixture.ts';
import { temporaryProject } from '../testing/temporary-project.fixture.ts';

/** A directive in the wrong place has a safe repair (FLUE1001). */
const MISPLACED = `import { useModel } from '@flue/runtime';
'use agent';

export function Orders() {
  useModel('offline/demo');
}
`;

describe('flue check --fix', () => {
  it('applies safe repairs, checks again and says what it changed; the second time nothing (CHK-08)', async () => {
    const root = temporaryProject({ 'src/a.ts': MISPLACED, 'src/b.ts': AGENT.replace('Orders', 'Other') });
    expect((await runFlue(root, ['check'])).code).toBe(1);
    const first = await runFlue(root, ['check', '--fix']);
    expect(first).toMatchObject({ code: 0, stderr: 'flue: fixed 1 finding in src/a.ts.\n' });
    const text = readFileSync(join(root, 'src/a.ts'), 'utf8');
    expect(text).toMatch(/^'use agent';\n/);
    expect(await runFlue(root, ['check', '--fix'])).toMatchObject({ code: 0, stderr: '' });
    expect(readFileSync(join(root, 'src/a.ts'), 'utf8')).toBe(text);
  });

  it('keeps line ends (CHK-08)', async () => {
    const root = temporaryProject({ 'src/a.ts': MISPLACED.replaceAll('\n', '\r\n') });
    await runFlue(root, ['check', '--fix']);
    const text = readFileSync(join(root, 'src/a.ts'), 'utf8');
    expect(text).toMatch(/^'use agent';\r\n/);
    expect(text).not.toMatch(/(?<!\r)\n/);
  });

  it('changes only below the given paths (CHK-03)', async () => {
    const other = MISPLACED.replace('Orders', 'Other');
    const root = temporaryProject({ 'src/a.ts': MISPLACED, 'src/x/b.ts': other });
    await runFlue(root, ['check', '--fix', 'src/x']);
    expect(readFileSync(join(root, 'src/a.ts'), 'utf8')).toBe(MISPLACED);
    expect(readFileSync(join(root, 'src/x/b.ts'), 'utf8')).not.toBe(other);
  });
});

describe('flue check --fix-dry-run', () => {
  it('prints the repairs as a unified diff and writes nothing', async () => {
    const root = temporaryProject({ 'src/a.ts': MISPLACED });
    const { code, stdout } = await runFlue(root, ['check', '--fix-dry-run']);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^--- a\/src\/a\.ts\n\+\+\+ b\/src\/a\.ts\n@@ /);
    expect(stdout).toContain("+'use agent';\n");
    expect(readFileSync(join(root, 'src/a.ts'), 'utf8')).toBe(MISPLACED);
    expect((await runFlue(root, ['check', '--fix', '--fix-dry-run'])).code).toBe(2);
  });
});
