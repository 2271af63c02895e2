import { describe, expect, it } from 'vitest';
import { virtual } from '../../adapters/sandbox/virtual.ts';
import { init } from '../../app/init.ts';
import { BUILTIN_TOOLS } from '../../contract/names.ts';
import { scriptModel } from '../../testing/script-model.ts';
import { useModel } from '../hooks/use-model.ts';
import { usePersistentState } from '../hooks/use-persistent-state.ts';
import { useSandbox } from '../hooks/use-sandbox.ts';
import { useSkill } from '../hooks/use-skill.ts';
import { useTool } from '../hooks/use-tool.ts';
import { defineSkill } from '../skills/define-skill.ts';
import { packageSkill } from '../skills/package-skill.ts';
import { boot, play, results, running, signals, toolsOf } from './sandbox.test.support.ts';

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
    expect(running().log.join('')).toMatch(/cannot be read.*AGENTS\.md.*EACCES/);
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
    await boot(Owner);
    await running().during(init(Owner as never, { id: 'a' }).dispatch('Hi'), 1000);
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
    const log = running().log.join('');
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
    expect(running().log.filter((line) => line.includes('which wins'))).toHaveLength(1);
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
