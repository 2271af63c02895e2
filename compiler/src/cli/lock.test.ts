import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runFlue } from '../testing/run-flue.fixture.ts';
import { AGENT } from '../testing/sources.fixture.ts';
import { addFiles, temporaryProject } from '../testing/temporary-project.fixture.ts';

const named = (name: string) => AGENT.replace('Orders', name);

function lockOf(root: string) {
  return JSON.parse(readFileSync(join(root, 'flue.lock.json'), 'utf8'));
}

describe('flue lock', () => {
  it('creates the lock with the present set and is silent when nothing changed (LOCK-01, LOCK-02)', async () => {
    const root = temporaryProject({ 'src/a.ts': named('Orders') });
    expect(await runFlue(root, ['lock'])).toEqual({ code: 0, stdout: 'flue.lock.json\n', stderr: '' });
    expect(lockOf(root)).toEqual({
      agents: {
        Orders: {
          bindingName: 'FLUE_ORDERS_AGENT',
          className: 'FlueOrdersAgent',
          export: 'Orders',
          module: 'src/a.ts',
        },
      },
      lockVersion: 1,
      retired: {},
    });
    expect(await runFlue(root, ['lock'])).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  it('asks for a decision on an identity without agent, naming the likely rename (LOCK-03)', async () => {
    const root = temporaryProject({ 'src/a.ts': named('Orders') });
    await runFlue(root, ['lock']);
    const before = lockOf(root);
    addFiles(root, { 'src/a.ts': named('Shop') });
    const result = await runFlue(root, ['lock']);
    expect(result).toMatchObject({ code: 1, stdout: '' });
    expect(result.stderr).toBe(
      'flue: "Orders" is no longer defined; its stored conversations would be orphaned. ' +
        'Looks renamed to "Shop": set Shop.agentName = \'Orders\', or record it with flue lock --rename Orders Shop. ' +
        'To give it up: flue lock --retire Orders.\n',
    );
    expect(lockOf(root)).toEqual(before);
  });

  it('--rename records the move and says how conversations follow (LOCK-03)', async () => {
    const root = temporaryProject({ 'src/a.ts': named('Orders') });
    await runFlue(root, ['lock']);
    addFiles(root, { 'src/a.ts': named('Shop') });
    const result = await runFlue(root, ['lock', '--rename', 'Orders', 'Shop']);
    expect(result.code).toBe(0);
    expect(result.stderr).toContain("await store.rename('Orders', 'Shop');");
    expect(Object.keys(lockOf(root).agents)).toEqual(['Shop']);
    expect(lockOf(root).retired).toEqual({ Orders: { className: 'FlueOrdersAgent', renamedTo: 'Shop' } });
  });

  it('--retire gives an identity up; when it returns, flue lock accepts it (LOCK-03, LOCK-05)', async () => {
    const root = temporaryProject({ 'src/a.ts': named('Orders'), 'src/b.ts': named('Sales') });
    await runFlue(root, ['lock']);
    addFiles(root, { 'src/b.ts': 'export {};' });
    expect((await runFlue(root, ['lock', '--retire', 'Sales'])).code).toBe(0);
    expect(lockOf(root).retired).toEqual({ Sales: { className: 'FlueSalesAgent' } });
    addFiles(root, { 'src/b.ts': named('Sales') });
    const generated = await runFlue(root, ['generate']);
    expect(generated.stderr).toContain('"Sales" was retired and would continue its old conversations');
    expect(lockOf(root).retired).toHaveProperty('Sales');
    expect((await runFlue(root, ['lock'])).code).toBe(0);
    expect(Object.keys(lockOf(root).agents)).toEqual(['Orders', 'Sales']);
    expect(lockOf(root).retired).toEqual({});
  });

  it.each([
    [['--retire', 'Order'], '"Order" is not locked; did you mean "Orders"?'],
    [['--retire', 'Orders'], '"Orders" is still defined by an agent.'],
    [['--rename', 'Orders'], '--rename takes two identities: <old> <new>.'],
    [['Orders'], 'unexpected argument "Orders".'],
  ])('%j is a usage error', async (argv, message) => {
    const root = temporaryProject({ 'src/a.ts': named('Orders') });
    await runFlue(root, ['lock']);
    const result = await runFlue(root, ['lock', ...argv]);
    expect(result.code).toBe(2);
    expect(result.stderr).toContain(message);
  });

  it('--check never writes; a needed change is exit 1 with a diff (LOCK-06)', async () => {
    const root = temporaryProject({ 'src/a.ts': named('Orders') });
    expect(await runFlue(root, ['lock', '--check'])).toMatchObject({ code: 1 });
    expect(existsSync(join(root, 'flue.lock.json'))).toBe(false);
    await runFlue(root, ['lock']);
    expect(await runFlue(root, ['lock', '--check'])).toEqual({ code: 0, stdout: '', stderr: '' });
    addFiles(root, { 'src/b.ts': named('Sales') });
    const { code, stdout } = await runFlue(root, ['lock', '--check']);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^stale flue\.lock\.json\n {2}@@ line \d+ @@\n(?: {2}.*\n)*? {2}\+ .*"Sales"/);
  });

  it.each([
    ['{ "agents": {}, "lockVersion": 9 }', 'newer flue (lockVersion 9; this one knows 1)'],
    ['{\n<<<<<<< ours\n', 'conflict markers in lines 2.'],
  ])('exits 2 and writes nothing on the lock %j (LOCK-07, LOCK-08)', async (text, message) => {
    const root = temporaryProject({ 'src/a.ts': named('Orders'), 'flue.lock.json': text });
    for (const command of ['lock', 'generate']) {
      const result = await runFlue(root, [command]);
      expect(result).toMatchObject({ code: 2, stdout: '' });
      expect(result.stderr).toContain(`flue.lock.json: `);
      expect(result.stderr).toContain(message);
    }
    expect(readFileSync(join(root, 'flue.lock.json'), 'utf8')).toBe(text);
    expect(existsSync(join(root, '.flue'))).toBe(false);
  });
});

describe('flue generate', () => {
  it('writes additions and moves to the lock, and leaves a missing identity to the author (LOCK-01, LOCK-04)', async () => {
    const root = temporaryProject({ 'src/a.ts': named('Orders') });
    await runFlue(root, ['generate']);
    addFiles(root, { 'src/a.ts': 'export {};', 'src/moved.ts': named('Orders'), 'src/b.ts': named('Sales') });
    expect(await runFlue(root, ['generate'])).toMatchObject({ code: 0, stderr: '2 agents.\n' });
    const { agents } = lockOf(root);
    expect(agents).toMatchObject({ Orders: { module: 'src/moved.ts' }, Sales: { module: 'src/b.ts' } });
    addFiles(root, { 'src/b.ts': 'export {};' });
    const result = await runFlue(root, ['generate']);
    expect(result.code).toBe(0);
    expect(result.stderr).toContain('"Sales" is no longer defined');
    expect(lockOf(root).agents).toEqual(agents);
  });
});
