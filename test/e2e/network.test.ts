import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createProject } from '../support/project.ts';

const bin = fileURLToPath(new URL('../../compiler/bin/flue.js', import.meta.url));
const AGENT = `'use agent';
import { useModel } from '@flue/runtime';
export function Orders() { useModel('anthropic/claude-haiku-4-5'); return 'See https://example.com/orders.'; }
`;

/** Writes down whatever wants to reach the network: sockets, name lookups and listeners of any library. */
const watchNetwork = (file: string) => `
import { appendFileSync } from 'node:fs';
import dgram from 'node:dgram';
import dns from 'node:dns';
import net from 'node:net';
const note = (target, method) => {
  const original = target[method];
  target[method] = function (...args) {
    appendFileSync(${JSON.stringify(file)}, method + '\\n');
    return original.apply(this, args);
  };
};
note(net.Socket.prototype, 'connect');
note(net.Server.prototype, 'listen');
note(dgram, 'createSocket');
note(dns, 'lookup');
`;

describe('the network', () => {
  it.each(['check', 'check --format sarif', 'generate', 'lock'])(
    'is not touched by flue %s (CLI-07)',
    (command) => {
      const project = createProject({ 'src/orders.ts': AGENT });
      onTestFinished(project.remove);
      const seen = join(project.root, 'network.log');
      const preload = `data:text/javascript,${encodeURIComponent(watchNetwork(seen))}`;
      const watched = (args: readonly string[]) =>
        spawnSync(process.execPath, ['--import', preload, ...args], {
          cwd: project.root,
          encoding: 'utf8',
        });

      const { status, stderr } = watched([bin, ...command.split(' ')]);
      expect(status, stderr).toBe(0);
      expect(existsSync(seen)).toBe(false);

      // What is watched would have been seen.
      watched(['-e', 'fetch("http://127.0.0.1:49151").catch(() => {})']);
      expect(readFileSync(seen, 'utf8')).toContain('connect\n');
    },
  );
});
