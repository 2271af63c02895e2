import { describe, expect, it } from 'vitest';
import { virtual } from '../../adapters/sandbox/virtual.ts';
import { init } from '../../app/init.ts';
import { BUILTIN_TOOLS } from '../../contract/names.ts';
import { scriptModel } from '../../testing/script-model.ts';
import { observe } from '../events/observe.ts';
import { useModel } from '../hooks/use-model.ts';
import { usePersistentState } from '../hooks/use-persistent-state.ts';
import { useSandbox } from '../hooks/use-sandbox.ts';
import { useSkill } from '../hooks/use-skill.ts';
import { useSubagent } from '../hooks/use-subagent.ts';
import { useTool } from '../hooks/use-tool.ts';
import { defineSkill } from '../skills/define-skill.ts';
import { boot, calls, counted, failure, play, results, signals, textOf } from './sandbox.test.support.ts';

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

  it('leaves a delegate that runs where it began, over all of its turns (FLP-05)', async () => {
    const { Owner } = flipping();
    function Parent() {
      useSubagent({ name: 'helper', description: 'Helps.', agent: () => 'Look.' });
      return Owner();
    }
    const script = scriptModel({
      steps: [
        {
          toolCalls: [
            { name: 'flip', arguments: {} },
            { name: 'task', arguments: { agent: 'helper', prompt: 'Look.' } },
          ],
        },
        ...calls(['bash', { command: 'echo x > mine; pwd' }], ['bash', { command: 'ls -A; pwd' }]),
        { text: 'Seen.' },
        ...calls(['bash', { command: 'pwd' }]),
        { text: 'Done.' },
      ],
    });
    await boot(Parent);
    await init(Parent as never, { id: 'a' }).dispatch('Hi');
    const child = script.requests[3]!.messages.flatMap((one) => (one.role === 'tool' ? [textOf(one)] : []));
    expect(child).toEqual(['/workspace', 'mine\n/workspace']);
    expect(results(script).at(-1)).toBe('/repo');
  });
});
