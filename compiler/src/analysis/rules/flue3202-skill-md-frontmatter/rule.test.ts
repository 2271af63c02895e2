import { describe, expect, it } from 'vitest';
import { checkOnDisk, findingsOnDisk, runProjectExamples } from '../project-examples.test.kit.ts';
import rule from './rule.ts';

// FLUE3202: every example of the folder is run as a project on disk.
runProjectExamples(rule, import.meta.url);

const MODULE = "import s from './skills/refunds/SKILL.md';\nexport { s };\n";
const SKILL = 'src/skills/refunds/SKILL.md';
const files = (text: string) => ({ 'src/a.ts': MODULE, [SKILL]: text });
const found = async (text: string) => {
  const findings = await findingsOnDisk(rule, files(text));
  return findings.map(({ message, span }) => `${span.line}:${span.column} ${message}`);
};
/** A whole skill with these lines in its front matter. */
const skill = (...lines: string[]) => ['---', ...lines, '---', 'Ask first.', ''].join('\n');
const NAMED = ['name: refunds', 'description: d'];

describe('the front matter of a skill', () => {
  it.each([
    ['', '1:1 SKILL.md: the front matter is missing.'],
    ['\n---\nname: refunds\n---\nx', '1:1 SKILL.md: the front matter is missing.'],
    ['---\nname: refunds\n', '1:1 SKILL.md: the front matter is not closed by a line "---".'],
    [skill(), '2:1 SKILL.md: the front matter is no mapping of fields.'],
    [skill('- name'), '2:1 SKILL.md: the front matter is no mapping of fields.'],
    [skill('name: refunds', 'name: refunds'), /^3:1 SKILL.md: the front matter is no valid YAML: /],
    [skill(...NAMED, 'license: *none'), /^\d:\d+ SKILL.md: the front matter is no valid YAML: /],
    [skill('description: d'), '1:1 SKILL.md: name is missing.'],
    [skill('name: refunds'), '1:1 SKILL.md: description is missing.'],
    [skill('name: refunds', 'description:'), '3:1 SKILL.md: description must not be blank.'],
    [
      skill('name: Refunds', 'description: d'),
      '2:1 SKILL.md: name must be lowercase letters and digits with single dashes.',
    ],
    [skill('name: refund', 'description: d'), '2:1 SKILL.md: name must be that of its directory, "refunds".'],
    [
      skill('name: refunds', `description: ${'x'.repeat(1025)}`),
      '3:1 SKILL.md: description must have at most 1024 characters.',
    ],
    [
      skill(...NAMED, `compatibility: ${'x'.repeat(501)}`),
      '4:1 SKILL.md: compatibility must have at most 500 characters.',
    ],
    [skill(...NAMED, 'license: [MIT]'), '4:1 SKILL.md: license must be a string.'],
    [skill(...NAMED, 'allowed-tools:', '  - read'), '4:1 SKILL.md: allowed-tools must be a string.'],
    [skill(...NAMED, 'metadata: text'), '4:1 SKILL.md: metadata must be a map of strings.'],
    [skill(...NAMED, 'metadata:', '  a: [b]'), '4:1 SKILL.md: metadata must be a map of strings.'],
    ['---\r\nname: refunds\r\ndescription: d\r\n---\r\n \r\n', '5:1 SKILL.md: the body is empty.'],
  ])('%# is refused where it is wrong (SKILL-12, SKILL-02)', async (text, expected) => {
    expect(await found(text)).toEqual([
      typeof expected === 'string' ? expected : expect.stringMatching(expected),
    ]);
  });

  it.each([
    skill(...NAMED),
    `\uFEFF${skill(...NAMED)}`,
    skill(...NAMED).replaceAll('\n', '\r\n'),
    skill(...NAMED, 'license: MIT', 'compatibility: ""', 'allowed-tools: read bash', 'metadata:', '  v: 1.0'),
    skill('name: "refunds" # quoted', 'description: >', '  over two', '  lines', 'metadata:'),
    skill('name: refunds', `description: ${'🧾'.repeat(1024)}`),
  ])('%# is taken (SKILL-12)', async (text) => {
    expect(await found(text)).toEqual([]);
  });

  it('may hold fields that nobody knows (FLUE3202.n1)', async () => {
    expect(await found(skill(...NAMED, 'tools: [a, b]', 'nested: { a: { b: c } }'))).toEqual([]);
  });

  it("is nobody's business without an import of the skill (FLUE3202.n2)", async () => {
    const text = '# Refunds';
    const typeOnly = "import type s from './skills/refunds/SKILL.md';\nexport type S = typeof s;\n";
    expect(await findingsOnDisk(rule, { 'src/a.ts': typeOnly, [SKILL]: text })).toEqual([]);
    const raw = "import s from './skills/refunds/SKILL.md?raw';\nexport { s };\n";
    expect(await findingsOnDisk(rule, { 'src/a.ts': raw, [SKILL]: text })).toEqual([]);
  });

  it('holds text, quoted or not (FLUE3202.n3)', async () => {
    const text = skill('name: 42', 'description: true', 'license: 1.0', 'compatibility: null');
    const named42 = { 'src/a.ts': MODULE.replace('refunds', '42'), 'src/skills/42/SKILL.md': text };
    expect(await findingsOnDisk(rule, named42)).toEqual([]);
  });

  it('is judged in the file, and the import is named beside it', async () => {
    const [finding] = await findingsOnDisk(rule, files('# Refunds'));
    expect(finding?.span.path).toBe(SKILL);
    expect(finding?.related).toMatchObject([{ span: { path: 'src/a.ts', line: 1, column: 15 } }]);
  });
});

describe('a suppression in Markdown', () => {
  const codes = async (text: string) => {
    const { diagnostics } = await checkOnDisk(files(text));
    return diagnostics
      .filter(({ span }) => span.path === SKILL)
      .map(({ code, message, span }) => `${code} ${span.line} ${message}`);
  };

  it('is an HTML comment and covers the file (RULE-30)', async () => {
    expect(await codes('# Refunds\n<!-- flue-ignore-file FLUE3202 -- a draft -->\n')).toEqual([]);
    expect(await codes('<!-- flue-ignore FLUE3202 -- a draft -->\n# Refunds\n')).toHaveLength(2);
  });

  it('is told of when it meets nothing or says too little (RULE-31)', async () => {
    expect(await codes(`${skill(...NAMED)}<!-- flue-ignore-file FLUE3202 -- a draft -->\n`)).toEqual([
      'FLUE5007 6 This suppression of FLUE3202 matches nothing.',
    ]);
    expect(await codes(`${skill(...NAMED)}<!-- flue-ignore-file FLUE3202 -->\n`)).toEqual([
      'FLUE5008 6 Write: <!-- flue-ignore FLUEnnnn -- reason -->. The reason is missing.',
    ]);
  });
});
