import { mkdtempSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Child, startChild } from '../support/child.ts';
import { readStream } from '../support/stream.ts';

const worker = new URL('./worker.ts', import.meta.url);
const call = { toolCalls: [{ name: 'charge_card', arguments: { orderId: '7' } }] };

let folder: string;
let children: Child[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'flue-crash-'));
  children = [];
  writeFileSync(join(folder, 'trace'), '');
});
afterEach(async () => {
  await Promise.all(children.map((child) => child.kill()));
  rmSync(folder, { recursive: true, force: true });
});

function boot(steps: unknown[], env: Record<string, string> = {}): Child {
  const script = join(folder, `script-${children.length}.json`);
  writeFileSync(script, JSON.stringify({ steps }));
  const child = startChild(worker, {
    DB: join(folder, 'flue.db'),
    TRACE: join(folder, 'trace'),
    FLUE_SCRIPT: script,
    ...env,
  });
  children.push(child);
  return child;
}

/** Resolves once the tool has run in some process. */
function charged(): Promise<void> {
  return new Promise((resolve) => {
    const watcher = watch(join(folder, 'trace'), look);
    function look() {
      if (trace().length === 0) return;
      watcher.close();
      resolve();
    }
    look();
  });
}

function trace(): string[] {
  return readFileSync(join(folder, 'trace'), 'utf8').split('\n').filter(Boolean);
}

describe('a process killed in the middle of a tool call', () => {
  it('leaves one outcome, never runs the call again, and takes the next message (SUB-02, TBR-01, OWN-10, REC-07)', async () => {
    const first = boot([call], { SEND: 'Charge order 7.', HANG: 'tool' });
    const { sent } = await first.message<{ sent: string }>('sent');
    await charged();
    await first.kill();

    const second = boot([{ text: 'The charge was interrupted.' }, { text: 'Next.' }]);
    const booted = await second.message<{ at: number }>('booted');
    second.send({ read: sent });
    const settled = await second.message<{ outcome: string; text: string; at: number }>('settled');
    expect(settled).toMatchObject({ outcome: 'completed', text: 'The charge was interrupted.' });
    expect(settled.at - booted.at).toBeLessThan(2000);
    expect(trace()).toHaveLength(1);

    const records = await readStream(join(folder, 'flue.db'), 'agents/Cashier/1');
    const ofType = (type: string) => records.filter((record) => record.type === type);
    expect(ofType('submission_settled')).toHaveLength(1);
    expect(ofType('call_settled')).toMatchObject([{ interrupted: true, status: 'error' }]);
    expect(ofType('submission_moved')).toMatchObject([{ attempt: 1 }, { attempt: 2 }]);

    const third = boot([{ text: 'Next.' }], { SEND: 'And now?' });
    const next = await third.message<{ sent: string }>('sent');
    third.send({ read: next.sent });
    expect(await third.message('settled')).toMatchObject({ outcome: 'completed', text: 'Next.' });
  });
});
