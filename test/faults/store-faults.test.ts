import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { converse, type Server, type ServerEnded, startServer } from '../support/server.ts';

const worker = fileURLToPath(new URL('./desk-worker.ts', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'flue-faults-'));
const volume = join(folder, 'volume');
const headers = { 'content-type': 'application/json' };

/** A volume of its own needs the right to mount; without it these cases show as skipped. */
const mounts = mount('size=1536k');
function mount(options: string): boolean {
  mkdirSync(volume, { recursive: true });
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', volume], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

let server: Server | undefined;
const start = async (DB: string) => {
  server = await startServer(worker, { DB });
  return server;
};
afterEach(async () => {
  await server?.stop('SIGKILL');
  server = undefined;
});
afterAll(() => {
  if (mounts) execFileSync('umount', ['-l', volume]);
  rmSync(folder, { recursive: true, force: true });
});

const post = (url: string, body: string) =>
  fetch(url, { method: 'POST', headers, body: JSON.stringify({ kind: 'user', body }) });
const submission = async (url: string, id: string) =>
  (await (await fetch(`${url}/submissions/${id}`)).json()) as { state: string; outcome?: string };

describe.skipIf(!mounts)('a server on a volume', () => {
  it('that fills up refuses sends, keeps running work, tells it once, and resumes by itself (SQL-10, SQL-13, ADP-07)', async () => {
    const { url, output } = await start(join(volume, 'flue.db'));
    const instance = `${url}/1`;
    expect(await converse(instance, { kind: 'user', body: 'hello' })).toMatchObject({
      settlement: { outcome: 'completed' },
    });

    const filler = join(volume, 'filler');
    const free = () =>
      Number(execFileSync('df', ['--output=avail', '-B1', volume]).toString().split('\n')[1]);
    writeFileSync(filler, Buffer.alloc(free() - 48_000));
    const { submissionId } = (await (await post(instance, 'pile')).json()) as { submissionId: string };
    // The tool's result does not fit, so the attempt holds it; what arrives meanwhile is refused as soon as nothing fits.
    let refused = await post(`${url}/2`, 'y'.repeat(60_000));
    for (let n = 0; refused.status === 202 && n < 50; n++)
      refused = await post(`${url}/2`, 'y'.repeat(60_000));
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(await refused.json()).toMatchObject({
      error: { type: 'persistence_failure', meta: { reason: 'full' } },
    });
    for (let n = 0; n < 5; n++) expect((await post(`${url}/2`, 'y'.repeat(60_000))).status).toBe(503);
    expect(await submission(instance, submissionId)).not.toMatchObject({ state: 'settled' });
    expect(output().match(/has no space left/g)).toHaveLength(1);

    rmSync(filler);
    expect(await settled(instance, submissionId)).toMatchObject({ settlement: { outcome: 'completed' } });
    const attempts = read(join(volume, 'flue.db'), 'SELECT max(attempts) FROM flue_submission');
    expect(attempts).toBe(1);
    expect(await converse(`${url}/3`, { kind: 'user', body: 'again' })).toMatchObject({
      settlement: { outcome: 'completed' },
    });
  }, 60_000);

  it('that is read-only does not boot, and says what to restore (SQL-11, STA-05)', async () => {
    const file = join(volume, 'flue.db');
    execFileSync('mount', ['-o', 'remount,ro', volume]);
    try {
      const ended = (await startServer(worker, { DB: file }).catch((error: unknown) => error)) as ServerEnded;
      expect(ended.code).toBe(1);
      expect(ended.output).toContain('it does not accept writes');
      expect(ended.output).toContain(`${file}: `);
      expect(ended.output).toContain('Restore write permission on the file and its folder.');
      expect(ended.output).not.toMatch(/^\s+at /m);
    } finally {
      execFileSync('mount', ['-o', 'remount,rw', volume]);
    }
  }, 60_000);
});

async function settled(instance: string, submissionId: string): Promise<unknown> {
  for (;;) {
    const response = await fetch(`${instance}/submissions/${submissionId}?live=long-poll`);
    const body = (await response.json()) as { state: string };
    if (body.state === 'settled') return body;
  }
}

function read(file: string, sql: string): unknown {
  const db = new Database(file, { readonly: true });
  try {
    return db.prepare(sql).pluck().get();
  } finally {
    db.close();
  }
}

describe('a server whose file', () => {
  const good = join(folder, 'good.db');
  beforeAll(async () => {
    const { url, stop } = await startServer(worker, { DB: good });
    await converse(`${url}/1`, { kind: 'user', body: 'hello' });
    await stop();
  });

  const cases: [string, (file: string) => void, RegExp][] = [
    ['was cut in the middle', (file) => truncateSync(file, 4096 + 100), /is damaged|restore the file/],
    ['is no database', (file) => writeFileSync(file, 'PRECIOUS '.repeat(2000)), /is damaged/],
    [
      "is another application's",
      (file) => {
        rmSync(file);
        const db = new Database(file);
        db.exec('CREATE TABLE customers (id INTEGER)');
        db.close();
      },
      /belongs to another application/,
    ],
    [
      'needs a newer runtime',
      (file) => change(file, "UPDATE flue_meta SET value = '9' WHERE name = 'min_reader'"),
      /needs format 9/,
    ],
    ['has lost its stamp', (file) => change(file, 'DROP TABLE flue_meta'), /no stamp/],
  ];

  it.each(cases)(
    '%s does not boot, says why and leaves it alone (SQL-12, SQL-15, VER-01, VER-07, STA-05)',
    async (title, spoil, says) => {
      const file = join(folder, `${title.replaceAll(/\W/g, '-')}.db`);
      copyFileSync(good, file);
      spoil(file);
      const before = { bytes: readFileSync(file), mtime: statSync(file).mtimeMs };
      const ended = (await startServer(worker, { DB: file }).catch((error: unknown) => error)) as ServerEnded;
      expect(ended.code).toBe(1);
      expect(ended.output).toMatch(says);
      expect(ended.output).toContain(file);
      expect(ended.output).not.toMatch(/^\s+at /m);
      expect({ bytes: readFileSync(file), mtime: statSync(file).mtimeMs }).toEqual(before);
    },
    30_000,
  );
});

function change(file: string, sql: string): void {
  const db = new Database(file);
  db.exec(sql);
  db.pragma('wal_checkpoint(TRUNCATE)');
  db.close();
}
