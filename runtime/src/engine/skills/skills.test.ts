import { afterEach, describe, expect, it } from 'vitest';
import { init } from '../../app/init.ts';
import { startTest, type TestRuntime } from '../../app/runtime.test.support.ts';
import { BUILTIN_TOOLS } from '../../contract/names.ts';
import type { ModelMessage } from '../../ports/model-gateway.ts';
import { type ScriptStep, scriptModel } from '../../testing/script-model.ts';
import { useModel } from '../hooks/use-model.ts';
import { usePersistentState } from '../hooks/use-persistent-state.ts';
import { useSkill } from '../hooks/use-skill.ts';
import { useTool } from '../hooks/use-tool.ts';
import { defineSkill } from './define-skill.ts';
import { packageSkill } from './package-skill.ts';
import { __fluePackageSkill } from './packaged-skills.ts';

let flue: TestRuntime | undefined;
afterEach(async () => {
  await flue?.stop();
  flue = undefined;
});

const faq = defineSkill({
  name: 'faq',
  description: 'Answers questions.',
  instructions: '\n# FAQ\nBe short.\n',
});
const binary = new Uint8Array(80).fill(255);
const refunds = defineSkill({
  name: 'refunds',
  description: 'Processes refunds.',
  instructions: '# Refunds\nAsk for the order.',
  files: { 'ref/policy.md': 'Policy\nis short.\n', 'logo.bin': binary },
});
const refundsPath = `/.flue/packaged-skills/skill%3Arefunds%3A${packageSkill(refunds).id.slice(-16)}`;

function Desk() {
  useModel('offline/script');
  useSkill(faq);
  useSkill(refunds);
  useTool({ name: 'look', description: 'Looks.', run: () => 'seen' });
  return 'Help.';
}

/** Runs one message whose model calls these tools, one in each turn, and returns the requests. */
async function play(agent: () => unknown, ...calls: [name: string, args: object][]) {
  const steps = calls.map(([name, args]): ScriptStep => ({ toolCalls: [{ name, arguments: args }] }));
  const script = scriptModel({ steps: [...steps, { text: 'Done.' }] });
  flue = await startTest({ agents: [agent as never] });
  await init(agent as never, { id: 'a' }).dispatch('Hi');
  return script.requests;
}

const resultOf = (messages: readonly ModelMessage[]) => {
  const last = messages.findLast((message) => message.role === 'tool')!;
  return { isError: last.role === 'tool' && last.isError, text: textOf(last) };
};
const textOf = (message: ModelMessage) =>
  message.content.map((part) => ('text' in part ? part.text : '')).join('');

describe('mounted skills', () => {
  it('cost one catalog line each in the system prompt, and no instructions (SKILL-06, NARR-01)', async () => {
    const [request] = await play(Desk);
    expect(request!.systemPrompt).toContain(
      '- **faq** — Answers questions.\n- **refunds** — Processes refunds.',
    );
    expect(request!.systemPrompt).not.toContain('Be short.');
  });

  it('bring their tools before those of the agent (NAME-01, TURN-15)', async () => {
    const [request] = await play(Desk);
    const names = request!.tools.map((tool) => tool.name);
    expect(names).toEqual([...BUILTIN_TOOLS, 'task', 'activate_skill', 'read_skill_resource', 'look']);
  });

  it('bring no tool that has nothing to do (NAME-01)', async () => {
    const toolsOf = async (agent: () => unknown) => {
      const [request] = await play(agent);
      await flue?.stop();
      return request!.tools.map((tool) => tool.name);
    };
    function Bare() {
      useModel('offline/script');
    }
    expect(await toolsOf(Bare)).toEqual([...BUILTIN_TOOLS, 'task']);
    function Plain() {
      useModel('offline/script');
      useSkill(faq);
    }
    expect(await toolsOf(Plain)).toEqual([...BUILTIN_TOOLS, 'task', 'activate_skill']);
  });

  it('are named in no schema, so that a change never rewrites the tools block (NAME-05)', async () => {
    const [request] = await play(Desk);
    const own = request!.tools.filter((tool) => tool.name.includes('skill'));
    expect(JSON.stringify(own)).not.toMatch(/faq|refunds|enum/);
  });
});

describe('activate_skill', () => {
  it('answers with the name and the instructions, and leaves the system prompt alone (SKILL-20)', async () => {
    const [before, after] = await play(Desk, ['activate_skill', { name: 'faq' }]);
    expect(resultOf(after!.messages)).toEqual({
      isError: false,
      text: 'Skill: faq\n<skill_instructions>\n# FAQ\nBe short.\n</skill_instructions>',
    });
    expect(after!.systemPrompt).toBe(before!.systemPrompt);
  });

  it('lists the files of a skill with the path to read each from (SKILL-20)', async () => {
    const [, after] = await play(Desk, ['activate_skill', { name: 'refunds' }]);
    expect(resultOf(after!.messages).text).toMatch(
      [
        '</skill_instructions>',
        '<skill_resources>',
        `- ref/policy.md: ${refundsPath}/ref/policy.md`,
        `- logo.bin: ${refundsPath}/logo.bin`,
        '</skill_resources>',
      ].join('\n'),
    );
  });

  it.each(['refund', 'constructor', ''])(
    'misses the unknown name %j by saying what there is (SKILL-21)',
    async (name) => {
      const [, after] = await play(Desk, ['activate_skill', { name }]);
      expect(resultOf(after!.messages)).toEqual({
        isError: false,
        text: `There is no skill "${name}". Available skills: faq, refunds.`,
      });
    },
  );

  it('is recorded as the text that the model read', async () => {
    await play(Desk, ['activate_skill', { name: 'faq' }]);
    const settled = (await flue!.records('Desk', 'a')).find((record) => record.type === 'call_settled');
    expect(settled).toMatchObject({ status: 'ok', content: [{ type: 'text' }] });
    expect(settled).not.toHaveProperty('output');
  });
});

describe('read_skill_resource', () => {
  const read = async (path: string, page = {}) => {
    const [, after] = await play(Desk, ['read_skill_resource', { path, ...page }]);
    return resultOf(after!.messages);
  };

  it('reads a file by the path that was listed, or with the id spelled plainly (SKILL-22)', async () => {
    expect(await read(`${refundsPath}/ref/policy.md`)).toEqual({ isError: false, text: 'Policy\nis short.' });
    await flue?.stop();
    const plain = decodeURIComponent(refundsPath);
    expect((await read(`${plain}/ref/policy.md`, { offset: 2, limit: 1 })).text).toBe('is short.');
  });

  it('gives what is no text as base64 in lines of 76 characters (SKILL-22)', async () => {
    const { text } = await read(`${refundsPath}/logo.bin`);
    expect(text.split('\n').map((line) => line.length)).toEqual([76, 32]);
    expect(new Uint8Array(Buffer.from(text, 'base64'))).toEqual(binary);
  });

  it('is an error for any other path below the root, listing those that are valid now (SKILL-23)', async () => {
    for (const path of [
      '/.flue/packaged-skills/skill%3Arefunds%3A0000/ref/policy.md',
      `${refundsPath}/SKILL.md`,
    ]) {
      const { isError, text } = await read(path);
      expect(isError).toBe(true);
      expect(text).toBe(
        `There is no skill resource "${path}". Resources: ${refundsPath}/ref/policy.md, ${refundsPath}/logo.bin.`,
      );
      await flue?.stop();
    }
  });
});

describe('a skill whose mount depends on state', () => {
  function Shop() {
    useModel('offline/script');
    const [open, setOpen] = usePersistentState('open', false);
    useTool({ name: 'flip', description: 'Flips.', run: () => setOpen((is) => !is) });
    useSkill(faq);
    if (open) useSkill({ ...refunds, files: {} });
  }

  it('is told of by one signal, activates in that turn, and leaves the prompt as it was (NARR-01, NARR-09, NARR-10, NARR-11)', async () => {
    const requests = await play(Shop, ['flip', {}], ['activate_skill', { name: 'refunds' }]);
    expect(textOf(requests[1]!.messages.at(-1)!)).toBe(
      [
        '<signal type="resources" resource="skill">',
        'New skill available:',
        '- **refunds** — Processes refunds.',
        'All available skills: faq, refunds',
        '</signal>',
      ].join('\n'),
    );
    expect(resultOf(requests[2]!.messages).text).toContain('Ask for the order.');
    expect(requests[2]!.systemPrompt).toBe(requests[0]!.systemPrompt);
    expect(requests[0]!.systemPrompt).not.toContain('refunds');
  });

  it('cannot be activated once it is gone (MOUNT-02, NARR-09)', async () => {
    const requests = await play(Shop, ['flip', {}], ['flip', {}], ['activate_skill', { name: 'refunds' }]);
    expect(textOf(requests[2]!.messages.at(-1)!)).toContain('The skill "refunds" is no longer available.');
    expect(resultOf(requests[3]!.messages).text).toContain('Available skills: faq.');
  });

  it('tells of the tool that came with the first one, in the roster of all tools (NARR-07, NARR-14)', async () => {
    function Late() {
      useModel('offline/script');
      const [open, setOpen] = usePersistentState('open', false);
      useTool({ name: 'flip', description: 'Flips.', run: () => setOpen(true) });
      if (open) useSkill(faq);
    }
    const requests = await play(Late, ['flip', {}]);
    const [skill, tool] = requests[1]!.messages.slice(-2).map(textOf);
    expect(skill).toContain('resource="skill"');
    expect(tool).toContain('- **activate_skill** — ');
    expect(tool).toMatch(/\nAll available tools: .*activate_skill, flip\n/);
  });
});

describe('an imported skill directory', () => {
  const files = {
    'SKILL.md': '---\nname: guide\ndescription: Guides.\n---\n# Guide\n',
    'a.md': 'text',
    'b.bin': { base64: '/w==' },
  };
  const guide = __fluePackageSkill({ name: 'guide', description: 'Guides.', instructions: '# Guide', files });

  it('is a frozen reference named by its content (SKILL-04, SKILL-10)', () => {
    expect(guide).toEqual({
      __flueSkillReference: true,
      id: expect.stringMatching(/^skill:guide:[0-9a-f]{16}$/),
      name: 'guide',
      description: 'Guides.',
    });
    expect(Object.isFrozen(guide)).toBe(true);
    const other = { name: 'guide', description: 'Guides.', instructions: '# Guide' };
    expect(__fluePackageSkill({ ...other, files }).id).toBe(guide.id);
    expect(__fluePackageSkill({ ...other, files: { ...files, 'a.md': 'x' } }).id).not.toBe(guide.id);
  });

  it('activates and is read like a definition (SKILL-05, SKILL-20, SKILL-22)', async () => {
    function Reader() {
      useModel('offline/script');
      useSkill(guide);
    }
    const path = `/.flue/packaged-skills/${encodeURIComponent(guide.id)}/b.bin`;
    const requests = await play(
      Reader,
      ['activate_skill', { name: 'guide' }],
      ['read_skill_resource', { path }],
    );
    const { text } = resultOf(requests[1]!.messages);
    expect(text).toContain('<skill_instructions>\n# Guide\n</skill_instructions>');
    expect(text).toContain(`- b.bin: ${path}\n</skill_resources>`);
    expect(text).not.toContain('SKILL.md');
    expect(resultOf(requests[2]!.messages).text).toBe('/w==');
  });
});
