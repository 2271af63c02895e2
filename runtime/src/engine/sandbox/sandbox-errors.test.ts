import { realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { afterEach, describe, expect, it } from 'vitest';
import { local } from '../../adapters/node/local.ts';
import { createSandboxSessionEnv } from '../../adapters/sandbox/session-env.ts';
import { virtual } from '../../adapters/sandbox/virtual.ts';
import type { SandboxApi } from '../../ports/sandbox.ts';
import { SandboxDiedError, SandboxOperationUnsupportedError } from '../../ports/sandbox-errors.ts';
import { errorResponse } from '../../transports/http/envelope.ts';
import { useModel } from '../hooks/use-model.ts';
import { useSandbox } from '../hooks/use-sandbox.ts';
import { type Agent, end, failure, play, recorded, results } from './sandbox.test.support.ts';
import type { SandboxFactory } from './session-tool.ts';
import { createReadTool } from './tools/read.ts';

/*
 * Each class of sandbox errors on each of its ways: to the model, to code, to a settlement, to a route.
 */

const home = realpathSync(tmpdir());

/** A provider whose verbs fail. */
function failing(verbs: Partial<SandboxApi>): SandboxFactory {
  return {
    async createSessionEnv(options) {
      const { cwd: _, resolvePath: __, ...api } = await virtual().createSessionEnv(options);
      return createSandboxSessionEnv({ ...api, ...verbs }, '/workspace');
    },
  };
}

const withSandbox = (factory: SandboxFactory): Agent =>
  function Owner() {
    useModel('offline/script');
    useSandbox(factory);
  };

const died = failing({
  exec: async () => {
    throw new SandboxDiedError({ operation: 'exec', reason: 'stopped', cause: new Error('SDK') });
  },
});
const unsupported = failing({
  writeFile: async () => {
    throw new SandboxOperationUnsupportedError({ operation: 'write', provider: 'p', options: ['mode'] });
  },
});

type Call = [name: string, args: object];
const inCalls: [type: string, factory: SandboxFactory, call: Call, meta: object][] = [
  ['sandbox_died', died, ['bash', { command: 'true' }], { operation: 'exec', reason: 'stopped' }],
  [
    'sandbox_operation_unsupported',
    unsupported,
    ['write', { path: 'a', content: 'x' }],
    { operation: 'write', provider: 'p', options: ['mode'] },
  ],
  [
    'sandbox_path_denied',
    local({ cwd: home, root: home }),
    ['read', { path: '/etc/hosts' }],
    { operation: 'stat' },
  ],
  ['sandbox_invalid_path', virtual(), ['read', { path: 'a\0b' }], { operation: 'stat' }],
];

const tool = (name: string) => ({ ...createReadTool({} as never), name });
const atStart: [type: string, factory: SandboxFactory, meta: object][] = [
  [
    'sandbox_start_failed',
    { createSessionEnv: async () => ({ cwd: '/' }) as never },
    { missing: expect.arrayContaining(['exec', 'readFile']) },
  ],
  ['sandbox_tools_invalid', { ...virtual(), tools: () => [tool('a b')] }, { tool: 'a b', field: 'name' }],
  [
    'tool_name_conflict',
    { ...virtual(), tools: () => [tool('x'), tool('x')] },
    expect.objectContaining({ name: 'x', conflict: 'duplicate', source: 'adapter' }),
  ],
];

afterEach(end);

describe('an error of the sandbox', () => {
  it.each(inCalls)(
    '%s is a result that the model reads, and a rejection in code (SERR-01, CLS-07)',
    async (type, factory, call, meta) => {
      const agent = withSandbox(factory);
      const script = await play(agent, call);
      const settled = (await recorded(agent)).find((record) => record.type === 'call_settled');
      expect(settled).toMatchObject({ status: 'error' });
      expect(results(script)[0]).not.toMatch(/ {4}at |SDK/);
      const env = await factory.createSessionEnv({ id: 'code' });
      const [name, args] = call as [string, Record<string, string>];
      const rejected =
        name === 'bash'
          ? env.exec('true')
          : name === 'write'
            ? env.writeFile(args.path!, 'x')
            : env.stat(args.path!);
      await expect(rejected).rejects.toMatchObject({ type, meta });
      const error = await rejected.catch((thrown: unknown) => thrown as Error);
      expect(results(script)[0]).toContain((error as Error).message);
      await renders(error, type, meta);
    },
  );

  it.each(atStart)(
    '%s settles the submission whose own work it ends (SERR-01, CLS-07)',
    async (type, factory, meta) => {
      const error = await failure(withSandbox(factory));
      expect(error).toMatchObject({ type, meta });
      await renders(error, type, meta);
    },
  );
});

/** What escapes to a route is a 500 of its own type. */
async function renders(error: unknown, type: string, meta: object): Promise<void> {
  const runtime = { mode: 'production', logFailure: () => 'err_1' } as never;
  const response = errorResponse(error, { request: new Request('http://flue.test/'), runtime });
  expect(response.status).toBe(500);
  expect(await response.json()).toMatchObject({ error: { type, meta, ref: 'err_1' } });
}
