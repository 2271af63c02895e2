import { describe, expect, it } from 'vitest';
import { local } from '../../adapters/node/local.ts';
import { virtual } from '../../adapters/sandbox/virtual.ts';
import { init } from '../../app/init.ts';
import { until } from '../../app/runtime.test.support.ts';
import { BUILTIN_TOOLS } from '../../contract/names.ts';
import type { DefaultEnvironment, SessionEnv } from '../../ports/sandbox.ts';
import { scriptModel } from '../../testing/script-model.ts';
import { useModel } from '../hooks/use-model.ts';
import { usePersistentState } from '../hooks/use-persistent-state.ts';
import { useSandbox } from '../hooks/use-sandbox.ts';
import { useSubagent } from '../hooks/use-subagent.ts';
import { useTool } from '../hooks/use-tool.ts';
import { GeneralSubagent } from '../subagents/define-subagent.ts';
import {
  type Agent,
  boot,
  calls,
  counted,
  end,
  failure,
  Plain,
  play,
  recorded,
  results,
  running,
  signals,
  textOf,
  toolsOf,
} from './sandbox.test.support.ts';
import type { SandboxFactory, SessionTool } from './session-tool.ts';
import { createBashTool } from './tools/bash.ts';

describe('an agent without useSandbox()', () => {
  it('works in memory with the built-in tools before all others (SBXH-02, SBX-01, TFAC-01, NAME-01, TURN-15)', async () => {
    const script = await play(
      Plain,
      ['write', { path: 'src/a.txt', content: 'one\ntwo\n' }],
      ['edit', { path: 'src/a.txt', oldText: 'two', newText: '2' }],
      ['read', { path: 'src/a.txt' }],
      ['bash', { command: 'cat src/a.txt | wc -l; pwd' }],
      ['grep', { pattern: '^\\d$' }],
      ['glob', { pattern: '*.txt' }],
    );
    expect(toolsOf(script)).toEqual([...BUILTIN_TOOLS, 'task']);
    expect(results(script)).toEqual([
      'Created src/a.txt (8 bytes).',
      'Replaced 1 occurrence in src/a.txt.\n1: one\n2: 2\n3: ',
      'one\n2',
      '2\n/workspace',
      'src/a.txt:2:2',
      'src/a.txt',
    ]);
  });

  it('loses its files with the message, and the prompt says so beside the directory (DEF-04, WCTX-02)', async () => {
    const script = await play(Plain, ['write', { path: 'a', content: 'x' }]);
    expect(script.requests[0]!.systemPrompt).toMatch(
      /^Help\.\n\nThere are no agents.*\n\nCurrent date: .*\n\nWorking directory: \/workspace\n.*last for the present message only\.\n\nThe working directory is empty\.$/,
    );
    expect(results(await play(Plain, ['bash', { command: 'ls -A' }])).at(-1)).toBe('(no output)');
  });

  it('pays nothing for an environment that nobody touches (SBX-08)', async () => {
    let created = 0;
    const environment: DefaultEnvironment = {
      cwd: '/workspace',
      createSessionEnv: (options) => {
        created += 1;
        return virtual().createSessionEnv(options);
      },
    };
    await boot(Plain, { environment });
    await play(Plain);
    expect(created).toBe(0);
    await play(Plain, ['bash', { command: 'true' }], ['bash', { command: 'true' }]);
    expect(created).toBe(1);
  });

  it('changes one file in call order within a tool batch (TURN-07, BLT-01)', async () => {
    const write = (content: string) => ({ name: 'write', arguments: { path: 'f', content } });
    const edit = { name: 'edit', arguments: { path: './f', oldText: 'two', newText: 'three' } };
    const script = scriptModel({
      steps: [
        { toolCalls: [write('one'), write('two'), edit] },
        ...calls(['read', { path: 'f' }]),
        { text: 'Done.' },
      ],
    });
    await boot(Plain);
    await init(Plain as never, { id: 'a' }).dispatch('Hi');
    expect(results(script).at(-1)).toBe('three');
  });

  it('answers a wrong call with the field and the rule, and runs nothing (TFAC-07)', async () => {
    const script = await play(Plain, ['write', { path: 'a', contents: 'x' }], ['bash', { command: 'ls -A' }]);
    expect(results(script)).toEqual([expect.stringContaining('content'), '(no output)']);
  });
});

describe('useSandbox()', () => {
  it('runs the factory once per attempt with the instance id, and frees it at its end (SBXH-03, SBX-02, SBX-03, SBX-06)', async () => {
    const { seen, factory } = counted({ a: 'A' });
    function Owner() {
      useModel('offline/script');
      useSandbox(factory);
    }
    const script = await play(Owner, ['read', { path: 'a' }], ['bash', { command: 'pwd' }]);
    expect(results(script)).toEqual(['A', '/repo']);
    expect(seen).toMatchObject({ created: ['a'], disposed: 1 });
    await play(Owner);
    expect(seen).toMatchObject({ created: ['a', 'a'], disposed: 2 });
    const [baseline] = (await recorded(Owner)).filter((record) => record.type === 'resources_recorded');
    expect(baseline).toMatchObject({ snapshot: { environment: { attached: true, cwd: '/repo' } } });
  });

  it("starts in `cwd`, which is made where files are the runtime's own (CWD-01, CWD-02, CWD-03, CWD-05)", async () => {
    const { factory } = counted({ 'pkg/a': 'A', top: 'T' });
    const inDirectory = (cwd: string) =>
      function Owner() {
        useModel('offline/script');
        useSandbox(factory, { cwd });
      };
    const script = await play(
      inDirectory('pkg'),
      ['read', { path: 'a' }],
      ['bash', { command: 'pwd; cat ../top' }],
      ['write', { path: '../b', content: 'x' }],
      ['glob', { pattern: '*' }],
    );
    expect(results(script).map((text) => text.split('\n').slice(0, 2))).toEqual([
      ['A'],
      ['/repo/pkg', 'T'],
      ['Created ../b (1 bytes).'],
      ['a'],
    ]);
    expect(script.requests[0]!.systemPrompt).toContain(
      'Working directory: /repo/pkg\n\nThe working directory holds:\na',
    );
    await end();
    expect(results(await play(inDirectory('new/one'), ['bash', { command: 'pwd' }]))).toEqual([
      '/repo/new/one',
    ]);
  });

  it('fails the submission when there is no environment to be had (SBX-05, CWD-03)', async () => {
    const broken = (createSessionEnv: () => unknown, cwd?: string) =>
      function Owner() {
        useModel('offline/script');
        useSandbox({ createSessionEnv } as never, cwd === undefined ? {} : { cwd });
      };
    const agents: [Agent, object][] = [
      [broken(() => Promise.reject(new Error('quota'))), { message: /its factory failed/ }],
      [
        broken(async () => ({ cwd: '/', exec() {} })),
        { meta: { missing: expect.arrayContaining(['readFile']) } },
      ],
      [broken(() => virtual().createSessionEnv({ id: 'a' }), 'nope'), { message: /"nope" does not exist/ }],
      [
        function Owner() {
          useModel('offline/script');
          useSandbox(virtual({ files: { a: 'A' } }), { cwd: 'a' });
        },
        { message: /the working directory "a" is a file/ },
      ],
    ];
    for (const [agent, shape] of agents) {
      const error = (await failure(agent)) as Error;
      expect(error).toMatchObject({ type: 'sandbox_start_failed' });
      const { message, ...rest } = shape as { message?: RegExp };
      if (message) expect(error.message).toMatch(message);
      expect(error).toMatchObject(rest);
      await end();
    }
  });

  it('gives up on one that does not come within 120 s, and frees it if it comes after all (SBX-05)', async () => {
    const { seen, factory } = counted();
    let give = () => {};
    let signal: AbortSignal | undefined;
    function Owner() {
      useModel('offline/script');
      useSandbox({
        async createSessionEnv(options) {
          signal = options.signal;
          await new Promise<void>((resolve) => (give = resolve));
          return factory.createSessionEnv(options);
        },
      });
    }
    await boot(Owner);
    const error = await running().during(failure(Owner), 10_000);
    expect(error).toMatchObject({ type: 'sandbox_start_failed', meta: { timeoutMs: 120_000 } });
    expect(signal?.aborted).toBe(true);
    give();
    await until(() => seen.disposed === 1);
  });

  it('takes createSandbox() for createSessionEnv(), and the latter before it (SBX-04)', async () => {
    const named = (name: string) => () => virtual({ cwd: `/${name}` }).createSessionEnv({ id: 'a' });
    const agents: [string, object][] = [
      ['/alias\n', { createSandbox: named('alias') }],
      ['/own\n', { createSandbox: named('alias'), createSessionEnv: named('own') }],
    ];
    for (const [cwd, factory] of agents) {
      function Owner() {
        useModel('offline/script');
        useSandbox(factory as never);
      }
      const script = await play(Owner);
      expect(script.requests[0]!.systemPrompt).toContain(`Working directory: ${cwd}`);
      await end();
    }
  });
});

describe('tools of a sandbox', () => {
  const shell: SessionTool = {
    name: 'shell',
    description: 'Runs.',
    parameters: { type: 'object', properties: { line: { type: 'string' } }, required: ['line'] },
    execute: async (_id, { line }) => ({ content: [{ type: 'text', text: `ran ${line}` }] }),
  };
  const withTools = (tools: () => unknown, own?: string) =>
    function Owner() {
      useModel('offline/script');
      useSandbox({ ...virtual(), tools: tools as never });
      if (own) useTool({ name: own, description: 'Own.', run: () => 'own' });
    };

  it('replace exactly the built-in ones, at every boundary (TFAC-01, TFAC-02, SBXH-03)', async () => {
    let asked = 0;
    const tools = () => {
      asked += 1;
      return [shell];
    };
    const script = await play(withTools(tools, 'read'), ['shell', { line: 'ls' }], ['read', {}]);
    expect(toolsOf(script)).toEqual(['shell', 'task', 'read']);
    expect(script.requests[0]!.tools[0]).toMatchObject({ parameters: shell.parameters });
    expect(results(script)).toEqual(['ran ls', '"own"']);
    expect(asked).toBeGreaterThanOrEqual(3);
  });

  it('fail by throwing, which the model reads (TFAC-05)', async () => {
    const failing: SessionTool = { ...shell, execute: () => Promise.reject(new Error('no shell today')) };
    expect(
      results(
        await play(
          withTools(() => [failing]),
          ['shell', { line: 'x' }],
        ),
      ),
    ).toEqual(['no shell today']);
  });

  it.each([
    ['a promise', async () => [shell], {}],
    [
      'a throw',
      () => {
        throw new Error('no');
      },
      {},
    ],
    [
      'a tool without a description',
      () => [{ ...shell, description: '' }],
      { tool: 'shell', field: 'description' },
    ],
    ['a tool that cannot run', () => [{ ...shell, execute: undefined }], { tool: 'shell', field: 'execute' }],
  ])('fail the submission when they are unusable: %s (TFAC-02)', async (_, tools, meta) => {
    expect(await failure(withTools(tools))).toMatchObject({ type: 'sandbox_tools_invalid', meta });
  });

  it.each([
    ['two of one name', () => [shell, { ...shell }], undefined, { conflict: 'duplicate', source: 'adapter' }],
    [
      'a reserved name',
      () => [{ ...shell, name: 'task' }],
      undefined,
      { conflict: 'reserved', source: 'adapter' },
    ],
    ['the name of an own tool', () => [shell], 'shell', { conflict: 'duplicate', source: 'adapter' }],
  ])('clash: %s (TFAC-03, NAME-04)', async (_, tools, own, meta) => {
    expect(await failure(withTools(tools, own))).toMatchObject({ type: 'tool_name_conflict', meta });
  });

  it('clash with an own tool of a built-in name, before any model call (NAME-04)', async () => {
    function Owner() {
      useModel('offline/script');
      useTool({ name: 'bash', description: 'Own.', run: () => 'own' });
    }
    const script = scriptModel({ steps: [{ text: 'Never.' }] });
    await boot(Owner);
    const error = await init(Owner as never, { id: 'a' })
      .dispatch('Hi')
      .catch((thrown: Error) => thrown.cause);
    expect(error).toMatchObject({
      type: 'tool_name_conflict',
      meta: { name: 'bash', conflict: 'duplicate', source: 'builtin' },
    });
    expect(script.requests).toEqual([]);
  });
});

it('a confined place offers no shell to the model, unless its tools add one (LOC-09)', async () => {
  const confined = local({ readOnly: true });
  const withSandbox = (factory: SandboxFactory) =>
    function Owner() {
      useModel('offline/script');
      useSandbox(factory);
    };
  expect(toolsOf(await play(withSandbox(confined)))).toEqual([
    'read',
    'write',
    'edit',
    'grep',
    'glob',
    'task',
  ]);
  await end();
  const tools = (env: SessionEnv) => [createBashTool(env)];
  expect(toolsOf(await play(withSandbox({ ...confined, tools })))).toEqual(['bash', 'task']);
});

describe('a task', () => {
  it('shares the environment, and starts where it is told (DELEG-03, TASK-05, CWD-04, WCTX-09)', async () => {
    function Owner() {
      useModel('offline/script');
      useSandbox(
        virtual({ cwd: '/repo', files: { 'AGENTS.md': 'Top.', 'pkg/AGENTS.md': 'Package.', 'pkg/a': 'A' } }),
      );
      useSubagent(GeneralSubagent);
    }
    const agent = GeneralSubagent.name;
    const script = scriptModel({
      steps: [
        ...calls(['task', { agent, prompt: 'Look.', cwd: 'pkg' }]),
        ...calls(['bash', { command: 'pwd; ls; echo x > made' }]),
        { text: 'Seen.' },
        ...calls(['task', { agent, prompt: 'Look.', cwd: 'nope' }]),
        ...calls(['read', { path: 'pkg/made' }]),
        { text: 'Done.' },
      ],
    });
    await boot(Owner);
    await init(Owner as never, { id: 'a' }).dispatch('Hi');
    const child = script.requests[1]!;
    expect(child.systemPrompt).toContain('Package.');
    expect(child.systemPrompt).not.toContain('Top.');
    expect(child.systemPrompt).toContain('Working directory: /repo/pkg');
    expect(textOf(script.requests[2]!.messages.at(-1)!)).toBe('/repo/pkg\nAGENTS.md\na');
    expect(results(script)).toEqual(['Seen.', expect.stringContaining('ENOENT'), 'x']);
  });
});

it('what a tool call started in an environment stays there over a swap (FLP-04)', async () => {
  // Both calls of the batch begin before the boundary that swaps.
  function Owner() {
    useModel('offline/script');
    const [on, setOn] = usePersistentState('on', false);
    useTool({ name: 'flip', description: 'Flips.', run: () => setOn(true) });
    if (on) useSandbox(virtual({ cwd: '/repo' }));
  }
  const script = scriptModel({
    steps: [
      {
        toolCalls: [
          { name: 'flip', arguments: {} },
          { name: 'bash', arguments: { command: 'sleep 0.05; pwd' } },
        ],
      },
      ...calls(['bash', { command: 'pwd' }]),
      { text: 'Done.' },
    ],
  });
  await boot(Owner);
  await init(Owner as never, { id: 'a' }).dispatch('Hi');
  expect(results(script).slice(1)).toEqual(['/workspace', '/repo']);
});

it('a compaction composes the prompt from the workspace that is attached then, looked at anew (WCTX-07, NARR-22, NARR-25)', async () => {
  function Owner() {
    useModel('offline/script', { compaction: { keepRecentTokens: 0 } });
    const [on, setOn] = usePersistentState('on', false);
    useTool({ name: 'flip', description: 'Flips.', run: () => setOn(true) });
    if (on) useSandbox(virtual({ cwd: '/repo', files: { 'AGENTS.md': 'Use tabs.' } }));
  }
  const script = await play(Owner, ['flip', {}], ['write', { path: 'new', content: 'x' }]);
  expect(script.requests.at(-1)!.systemPrompt).toContain('Working directory: /workspace');
  const later = scriptModel({
    steps: [{ text: 'Summary.' }, { text: 'Done.' }],
  });
  await init(Owner as never, { id: 'a' }).compact();
  await init(Owner as never, { id: 'a' }).dispatch('Again');
  const prompt = later.requests.at(-1)!.systemPrompt;
  expect(prompt).toContain('Use tabs.');
  expect(prompt).toContain('Working directory: /repo');
  const told = (await signals(Owner)).filter((signal) => signal.signalType === 'environment');
  expect(told).toHaveLength(1);
});
