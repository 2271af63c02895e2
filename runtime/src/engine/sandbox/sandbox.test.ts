import { afterEach, describe, expect, it } from 'vitest';
import { local } from '../../adapters/node/local.ts';
import { virtual } from '../../adapters/sandbox/virtual.ts';
import { init } from '../../app/init.ts';
import { startTest, type TestRuntime, until } from '../../app/runtime.test.support.ts';
import { BUILTIN_TOOLS } from '../../contract/names.ts';
import type { RecordOf } from '../../conversation/records/index.ts';
import type { ModelMessage } from '../../ports/model-gateway.ts';
import type { DefaultEnvironment, SessionEnv } from '../../ports/sandbox.ts';
import { type ScriptModel, type ScriptStep, scriptModel } from '../../testing/script-model.ts';
import { observe } from '../events/observe.ts';
import { useModel } from '../hooks/use-model.ts';
import { usePersistentState } from '../hooks/use-persistent-state.ts';
import { useSandbox } from '../hooks/use-sandbox.ts';
import { useSkill } from '../hooks/use-skill.ts';
import { useSubagent } from '../hooks/use-subagent.ts';
import { useTool } from '../hooks/use-tool.ts';
import { defineSkill } from '../skills/define-skill.ts';
import { packageSkill } from '../skills/package-skill.ts';
import { GeneralSubagent } from '../subagents/define-subagent.ts';
import type { SandboxFactory, SessionTool } from './session-tool.ts';
import { createBashTool } from './tools/bash.ts';

let flue: TestRuntime | undefined;
afterEach(async () => {
  await flue?.stop();
  flue = undefined;
});

type Agent = () => string | undefined | void;

const calls = (...some: [name: string, args: object][]): ScriptStep[] =>
  some.map(([name, args]) => ({ toolCalls: [{ name, arguments: args }] }));

/** One message whose model calls these tools, one in each turn. */
async function play(agent: Agent, ...some: [name: string, args: object][]): Promise<ScriptModel> {
  const script = scriptModel({ steps: [...calls(...some), { text: 'Done.' }] });
  flue ??= await startTest({ agents: [agent as never] });
  await init(agent as never, { id: 'a' }).dispatch('Hi');
  return script;
}

/** The failure of one message. */
async function failure(agent: Agent, ...some: [name: string, args: object][]): Promise<unknown> {
  const error = await play(agent, ...some).catch((thrown: unknown) => thrown);
  return (error as Error).cause;
}

const textOf = (message: ModelMessage) =>
  message.content.map((part) => ('text' in part ? part.text : '')).join('');
const results = ({ requests }: ScriptModel) =>
  requests.at(-1)!.messages.flatMap((message) => (message.role === 'tool' ? [textOf(message)] : []));
const toolsOf = ({ requests }: ScriptModel, at = 0) => requests[at]!.tools.map((tool) => tool.name);
async function recorded(agent: Agent) {
  return flue!.records(agent.name, 'a');
}
async function signals(agent: Agent): Promise<RecordOf<'signal'>[]> {
  return (await recorded(agent)).filter((record) => record.type === 'signal');
}

/** A factory that tells what became of it. */
function counted(files: Record<string, string> = {}, more: Partial<SandboxFactory> = {}) {
  const seen = { created: [] as string[], disposed: 0 };
  const source = virtual({ cwd: '/repo', files });
  const factory: SandboxFactory = {
    ...source,
    async createSessionEnv(options) {
      seen.created.push(options.id);
      const env = await source.createSessionEnv(options);
      const dispose = async () => {
        seen.disposed += 1;
      };
      return { ...env, dispose };
    },
    ...more,
  };
  return { seen, factory };
}

function Plain() {
  useModel('offline/script');
  return 'Help.';
}

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
    flue = await startTest({ agents: [Plain as never], environment });
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
    flue = await startTest({ agents: [Plain as never] });
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
    await flue!.stop();
    flue = undefined;
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
      await flue!.stop();
      flue = undefined;
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
    flue = await startTest({ agents: [Owner as never] });
    const error = await flue.during(failure(Owner), 10_000);
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
      await flue!.stop();
      flue = undefined;
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
    flue = await startTest({ agents: [Owner as never] });
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
  await flue!.stop();
  flue = undefined;
  const tools = (env: SessionEnv) => [createBashTool(env)];
  expect(toolsOf(await play(withSandbox({ ...confined, tools })))).toEqual(['bash', 'task']);
});

describe('a flip of useSandbox()', () => {
  const faq = defineSkill({ name: 'faq', description: 'Answers.', instructions: 'Be short.' });
  function flipping() {
    const { seen, factory } = counted({ a: 'attached' });
    function Owner() {
      useModel('offline/script');
      const [on, setOn] = usePersistentState('on', false);
      useTool({ name: 'flip', description: 'Flips.', run: () => setOn((was) => !was) });
      if (on) useSandbox(factory);
      if (on) useSkill(faq);
      return 'Help.';
    }
    return { seen, Owner };
  }

  it('swaps before the next model call, and one full snapshot tells of it (SBXH-04, FLP-01, FLP-02, NARR-20, NARR-21)', async () => {
    const { seen, Owner } = flipping();
    const script = await play(
      Owner,
      ['write', { path: 'b', content: 'x' }],
      ['flip', {}],
      ['bash', { command: 'pwd; ls -A' }],
    );
    expect(results(script).at(-1)).toBe('/repo\na');
    expect(seen.created).toEqual(['a']);
    const told = await signals(Owner);
    expect(told.map((signal) => signal.signalType)).toEqual(['environment']);
    expect(told[0]!.body).toBe(
      [
        'The environment of this conversation has changed.',
        'Working directory: /repo',
        'Files and results of the previous environment may no longer be accessible.',
        'All available tools: read, write, edit, bash, grep, glob, task, activate_skill, flip',
        'All available skills:',
        '- **faq** — Answers.',
        'All available agents:',
        '(none)',
      ].join('\n'),
    );
  });

  it('is told to observers once (EVT-01)', async () => {
    const { Owner } = flipping();
    const seen: object[] = [];
    const stop = observe((event) => {
      if (event.type === 'environment_changed') seen.push(event);
    });
    await play(Owner, ['flip', {}], ['bash', { command: 'true' }]);
    stop();
    expect(seen).toMatchObject([
      { cwd: '/repo', attached: true, tools: [...BUILTIN_TOOLS, 'task', 'activate_skill', 'flip'] },
    ]);
  });

  it('leaves the prompt as it is until a compaction (NARR-22, FLP-07)', async () => {
    const { Owner } = flipping();
    const { requests } = await play(Owner, ['flip', {}], ['bash', { command: 'true' }]);
    expect(requests[0]!.systemPrompt).toContain('Working directory: /workspace');
    expect(requests[2]!.systemPrompt).toBe(requests[0]!.systemPrompt);
  });

  it('comes back to the default environment of the attempt, whose files are still there, and copies none (SBXH-05)', async () => {
    const { seen, Owner } = flipping();
    const script = await play(
      Owner,
      ['write', { path: 'mine', content: 'x' }],
      ['flip', {}],
      ['write', { path: 'theirs', content: 'x' }],
      ['flip', {}],
      ['bash', { command: 'ls -A' }],
      ['flip', {}],
      ['bash', { command: 'ls -A' }],
    );
    expect(results(script)[4]).toBe('mine');
    expect(results(script)[6]).toBe('a\ntheirs');
    expect(seen.created).toEqual(['a']);
    expect((await signals(Owner)).map((signal) => signal.signalType)).toEqual(Array(3).fill('environment'));
  });

  it('that fails ends the submission, and the write that caused it stays (SBXH-06, FLP-06)', async () => {
    let isBroken = true;
    function Owner() {
      useModel('offline/script');
      const [on, setOn] = usePersistentState('on', false);
      useTool({ name: 'flip', description: 'Flips.', run: () => setOn(true) });
      if (on) {
        useSandbox({
          createSessionEnv: (options) =>
            isBroken
              ? Promise.reject(new Error('quota'))
              : virtual({ cwd: '/late' }).createSessionEnv(options),
        });
      }
    }
    expect(await failure(Owner, ['flip', {}])).toMatchObject({ type: 'sandbox_start_failed' });
    const types = async () => (await signals(Owner)).map((signal) => signal.signalType);
    expect(await types()).toEqual(['submission_interrupted']);
    isBroken = false;
    expect(results(await play(Owner, ['bash', { command: 'pwd' }])).at(-1)).toBe('/late');
    expect(await types()).toEqual(['submission_interrupted', 'environment']);
  });

  it('between two factories waits for the next attempt (FLP-03, HOOK-06)', async () => {
    function Owner() {
      useModel('offline/script');
      const [place, setPlace] = usePersistentState('place', '/one');
      useTool({ name: 'move', description: 'Moves.', run: () => setPlace('/two') });
      useSandbox(virtual({ cwd: place }));
    }
    const script = await play(Owner, ['move', {}], ['bash', { command: 'pwd' }]);
    expect(results(script).at(-1)).toBe('/one');
    expect(results(await play(Owner, ['bash', { command: 'pwd' }])).at(-1)).toBe('/two');
    expect(await signals(Owner)).toEqual([]);
  });
});

describe('a workspace', () => {
  const skill = (name: string, body: string, more = '') =>
    `---\nname: ${name}\ndescription: Does ${name}.\n${more}---\n\n${body}\n`;
  const owner = (files: Record<string, string>, more = () => {}) =>
    function Owner() {
      useModel('offline/script');
      useSandbox(virtual({ cwd: '/repo', files }));
      more();
      return 'Help.';
    };

  it('is in the prompt, in order: its files, skills, agents, date, directory, listing (WCTX-01, WCTX-02, WCTX-04)', async () => {
    const { requests } = await play(
      owner({
        'AGENTS.md': 'Use tabs.\n',
        'CLAUDE.md': 'Be brief.\n',
        'src/a.ts': '',
        '.agents/skills/deploy/SKILL.md': skill('deploy', '# Deploy'),
      }),
    );
    expect(requests[0]!.systemPrompt.replace(/\d{4}-\d\d-\d\d/, 'TODAY')).toBe(
      [
        'Help.',
        'The following text comes from files of the workspace:\n<workspace_file path="AGENTS.md">\nUse tabs.\n' +
          '</workspace_file>\n<workspace_file path="CLAUDE.md">\nBe brief.\n</workspace_file>',
        'Skills are instructions for particular work. When one of these fits what you are asked to do, call ' +
          '`activate_skill` with its name before you begin:\n- **deploy** — Does deploy.',
        'There are no agents to hand tasks to: do not call `task`.',
        'Current date: TODAY',
        'Working directory: /repo',
        'The working directory holds:\n.agents/\nAGENTS.md\nCLAUDE.md\nsrc/',
      ].join('\n\n'),
    );
  });

  it('tells a file once that stands under both names, and cuts a long one (WCTX-03)', async () => {
    const long = `${'x'.repeat(64 * 1024)}ä`;
    const { requests } = await play(owner({ 'AGENTS.md': long, 'CLAUDE.md': long }));
    const prompt = requests[0]!.systemPrompt;
    expect(prompt).not.toContain('CLAUDE.md"');
    expect(prompt).toContain(`${'x'.repeat(100)}\n[the rest of its 65538 bytes is left out`);
  });

  it('is listed up to 200 names (WCTX-04)', async () => {
    const files = Object.fromEntries(Array.from({ length: 210 }, (_, n) => [`f${n}`, '']));
    const { requests } = await play(owner(files));
    expect(requests[0]!.systemPrompt).toMatch(/\n\(and 10 more\)$/);
  });

  it('is looked at with at most 64 calls, and a failing one is told and skipped (WCTX-04, WCTX-08)', async () => {
    let asked = 0;
    const source = virtual({
      files: Object.fromEntries(Array.from({ length: 90 }, (_, n) => [`f${n}`, ''])),
    });
    function Owner() {
      useModel('offline/script');
      useSandbox({
        async createSessionEnv(options) {
          const env = await source.createSessionEnv(options);
          const count =
            <A extends unknown[], R>(verb: (...args: A) => R) =>
            (...args: A): R => {
              asked += 1;
              if (args[0] === 'AGENTS.md') throw new Error('EACCES: permission denied');
              return verb(...args);
            };
          return {
            ...env,
            readFile: count(env.readFile),
            readdir: count(env.readdir),
            stat: count(env.stat),
          };
        },
      });
    }
    await play(Owner);
    expect(asked).toBe(64);
    expect(flue!.log.join('')).toMatch(/cannot be read.*AGENTS\.md.*EACCES/);
  });

  it('is given up after 5 s with what was found (WCTX-08)', async () => {
    function Owner() {
      useModel('offline/script');
      useSandbox({
        async createSessionEnv(options) {
          const env = await virtual({ files: { 'AGENTS.md': 'Use tabs.' } }).createSessionEnv(options);
          return { ...env, readdir: () => new Promise<string[]>(() => {}) };
        },
      });
    }
    const script = scriptModel({ steps: [{ text: 'Done.' }] });
    flue = await startTest({ agents: [Owner as never] });
    await flue.during(init(Owner as never, { id: 'a' }).dispatch('Hi'), 1000);
    expect(script.requests[0]!.systemPrompt).toContain('Use tabs.');
  });

  it('brings its skills, read when they are activated (SKILL-30, WCTX-06)', async () => {
    const path = '.agents/skills/deploy/SKILL.md';
    const script = await play(
      owner({ [path]: skill('deploy', '# Old'), '.agents/skills/deploy/steps.md': 'Step 1' }),
      ['write', { path, content: skill('deploy', '# New\nSee steps.md.') }],
      ['activate_skill', { name: 'deploy' }],
      ['read', { path: '/repo/.agents/skills/deploy/steps.md' }],
    );
    expect(toolsOf(script)).toEqual([...BUILTIN_TOOLS, 'task', 'activate_skill']);
    expect(results(script).slice(1)).toEqual([
      'Skill: deploy\nBase directory: /repo/.agents/skills/deploy (relative paths in the instructions start there)\n' +
        '<skill_instructions>\n# New\nSee steps.md.\n</skill_instructions>',
      'Step 1',
    ]);
  });

  it('has malformed skills left out with the file and the reason (WCTX-05, SKILL-31)', async () => {
    const { requests } = await play(
      owner({
        '.agents/skills/a/SKILL.md': skill('b', '# B'),
        '.agents/skills/c/SKILL.md': 'no front matter',
        '.agents/skills/d/SKILL.md': '---\nname: d\n---\nbody',
        '.agents/skills/e/SKILL.md': skill('e', ''),
        '.agents/skills/f/SKILL.md': skill('f', '# F', 'metadata:\n  version: 1.0\n'),
        '.agents/skills/README.md': 'x',
      }),
    );
    expect(requests[0]!.systemPrompt.match(/^- \*\*.*$/gm)).toEqual(['- **f** — Does f.']);
    const log = flue!.log.join('');
    for (const reason of [
      /a\/SKILL\.md is left out: its `name` is .*b.* and its directory .*a/,
      /c\/SKILL\.md.*front matter/,
      /d\/SKILL\.md.*description/,
      /e\/SKILL\.md.*no instructions/,
    ]) {
      expect(log).toMatch(reason);
    }
  });

  it('yields to a declared skill of one name, with one warning (SKILL-32)', async () => {
    const declared = defineSkill({ name: 'deploy', description: 'Declared.', instructions: 'Mine.' });
    const script = await play(
      owner({ '.agents/skills/deploy/SKILL.md': skill('deploy', '# Theirs') }, () => useSkill(declared)),
      ['activate_skill', { name: 'deploy' }],
    );
    expect(results(script)[0]).toContain('Mine.');
    expect(flue!.log.filter((line) => line.includes('which wins'))).toHaveLength(1);
  });

  it('is looked at anew where another one is attached, and its skills are told (SKILL-31, NARR-14)', async () => {
    function Owner() {
      useModel('offline/script');
      const [on, setOn] = usePersistentState('on', false);
      useTool({ name: 'flip', description: 'Flips.', run: () => setOn(true) });
      if (on) useSandbox(virtual({ files: { '.agents/skills/deploy/SKILL.md': skill('deploy', '# D') } }));
    }
    const script = await play(Owner, ['flip', {}], ['activate_skill', { name: 'deploy' }]);
    expect((await signals(Owner))[0]!.body).toContain('All available skills:\n- **deploy** — Does deploy.');
    expect(results(script).at(-1)).toContain('# D');
  });

  it('serves packaged skills to `read` alone (TFAC-06, SKILL-23)', async () => {
    const guide = defineSkill({
      name: 'guide',
      description: 'G.',
      instructions: 'I.',
      files: { 'a.md': 'packaged' },
    });
    const root = `/.flue/packaged-skills/${encodeURIComponent(packageSkill(guide).id)}`;
    const script = await play(
      owner({}, () => useSkill(guide)),
      ['read', { path: `${root}/a.md` }],
      ['read', { path: `${root}/b.md` }],
      ['bash', { command: `cat ${root}/a.md` }],
    );
    expect(results(script)[0]).toBe('packaged');
    expect(results(script)[1]).toContain(`Resources: ${root}/a.md`);
    expect(results(script)[2]).toContain('[exit code 1]');
  });
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
    flue = await startTest({ agents: [Owner as never] });
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
  flue = await startTest({ agents: [Owner as never] });
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
