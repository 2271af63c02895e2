import { join } from 'node:path';
import { loadProject, openCompiler } from '@flue/compiler';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startTsServer, type TsServer } from '../support/tsserver.ts';
import { type BuiltPlugin, buildPlugin } from './built-plugin.ts';
import { type EditorProject, editorProject } from './editor-project.ts';

const SOUND = `'use agent';
import { useModel } from '@flue/runtime';
export function Orders() {
  useModel('anthropic/claude-haiku-4-5');
  return 'Look up orders.';
}
`;
const ASYNC = SOUND.replace('export function', 'export async function');
const WITHOUT_MODEL = SOUND.replace(/ {2}useModel.*\n/, '');

let plugin: BuiltPlugin;
let server: TsServer;
const projects: EditorProject[] = [];

beforeAll(async () => {
  plugin = await buildPlugin();
  server = startTsServer({ plugins: plugin.folder });
});
afterAll(async () => {
  await server.close();
  plugin.remove();
});
afterEach(() => {
  for (const project of projects.splice(0)) project.remove();
});

function project(files: Readonly<Record<string, string>>, on = server): EditorProject {
  const created = editorProject(on, files);
  projects.push(created);
  return created;
}

const codes = async (subject: EditorProject, file: string) =>
  (await subject.findings(file)).map(({ code }) => code);

describe('a broken agent module', () => {
  it('shows its faults with number, source, place and one line of text (RULE-34)', async () => {
    const subject = project({ 'src/orders.ts': ASYNC });
    subject.open('src/orders.ts');
    expect(await subject.findings('src/orders.ts')).toMatchObject([
      {
        code: 701006,
        source: 'flue',
        category: 'error',
        start: ASYNC.indexOf('Orders'),
        length: 'Orders'.length,
        message: expect.stringMatching(/^Agents must be synchronous: [^\n]+$/),
      },
    ]);
  });

  it('points to the other place, whichever file that is in (RULE-34)', async () => {
    const subject = project({ 'src/a.ts': SOUND, 'src/b.ts': SOUND });
    subject.open('src/a.ts');
    const [finding] = (await subject.findings('src/a.ts')).filter(({ code }) => code === 701102);
    expect(finding?.relatedInformation).toMatchObject([
      { span: { file: subject.path('src/b.ts'), start: { line: 3, offset: 17 } } },
    ]);
  });

  it('shows advice as a suggestion and never as a problem (RULE-15)', async () => {
    const subject = project({ 'src/orders.ts': `'use agent';\n${SOUND}` });
    subject.open('src/orders.ts');
    expect(await subject.findings('src/orders.ts')).toMatchObject([
      { code: 701004, category: 'suggestion', start: 13 },
    ]);
  });

  it('with a syntax error shows that and nothing else of ours (RULE-14)', async () => {
    const subject = project({ 'src/orders.ts': ASYNC.replace('{', '{{{') });
    subject.open('src/orders.ts');
    const found = await subject.diagnostics('src/orders.ts');
    expect(found.filter(({ source }) => source === 'flue').map(({ code }) => code)).toEqual([705001]);
    expect(found.length).toBeGreaterThan(1);
  });
});

describe('what is in order', () => {
  it('gets nothing', async () => {
    const subject = project({ 'src/orders.ts': SOUND });
    subject.open('src/orders.ts');
    expect(await subject.diagnostics('src/orders.ts')).toEqual([]);
  });

  it('and what is none of ours keeps only what TypeScript says', async () => {
    const subject = project({
      'src/orders.ts': ASYNC,
      'src/plain.ts': 'export async function Plain(): Promise<number> { return ""; }\n',
    });
    subject.open('src/orders.ts', 'src/plain.ts');
    expect(await subject.findings('src/orders.ts')).toHaveLength(1);
    expect(await subject.diagnostics('src/plain.ts')).toMatchObject([{ code: 2322 }]);
  });
});

describe('after an edit (RULE-35)', () => {
  it('faults appear and go, in what an editor asks for in the background too', async () => {
    const subject = project({ 'src/orders.ts': SOUND });
    const file = subject.path('src/orders.ts');
    const shown = async () =>
      (await server.geterr([file])).flatMap(({ body }) => body.diagnostics.map(({ code }) => code));
    subject.open('src/orders.ts');
    expect(await shown()).toEqual([]);
    subject.edit('src/orders.ts', ASYNC);
    expect(await shown()).toEqual([701006]);
    subject.edit('src/orders.ts', SOUND);
    expect(await shown()).toEqual([]);
  });

  it('places follow the text', async () => {
    const subject = project({ 'src/orders.ts': ASYNC });
    subject.open('src/orders.ts');
    await subject.findings('src/orders.ts');
    const longer = ASYNC.replace('import', '// one more line\nimport');
    subject.edit('src/orders.ts', longer);
    expect(await subject.findings('src/orders.ts')).toMatchObject([{ start: longer.indexOf('Orders') }]);
  });

  it('of a hook in another module, the agents that reach it are judged anew', async () => {
    const hook =
      "import { useModel } from '@flue/runtime';\nexport function useSetup() {\n  useModel('a/b');\n}\n";
    const subject = project({
      'src/orders.ts':
        "'use agent';\nimport { useSetup } from './barrel.ts';\nexport function Orders() { useSetup(); }\n",
      'src/barrel.ts': "export * from './setup.ts';\n",
      'src/setup.ts': hook,
    });
    subject.open('src/orders.ts', 'src/setup.ts');
    const before = await codes(subject, 'src/orders.ts');
    expect(before).not.toContain(702101);
    subject.edit('src/setup.ts', hook.replace("useModel('a/b');", ''));
    expect(await codes(subject, 'src/orders.ts')).toEqual([...before, 702101].sort());
    subject.edit('src/setup.ts', hook);
    expect(await codes(subject, 'src/orders.ts')).toEqual(before);
  });

  it('of the tsconfig, each fault is still shown once', async () => {
    const subject = project({ 'src/orders.ts': ASYNC, 'base.json': '{}' });
    subject.open('src/orders.ts');
    expect(await codes(subject, 'src/orders.ts')).toEqual([701006]);
    await server.request('reloadProjects');
    expect(await codes(subject, 'src/orders.ts')).toEqual([701006]);
  });
});

describe('the Flue config, read without running it (RULE-32)', () => {
  const config = (severity: string) =>
    `import { defineConfig } from '@flue/runtime/config';
const rules = { 'model-missing': '${severity}', FLUE1006: 'off' } as const;
export default defineConfig({ check: { rules } });
`;

  it('sets severities, also while it is edited, and lowers nothing that a build depends on', async () => {
    const subject = project({
      'flue.config.ts': config('off'),
      'src/late.ts': ASYNC.replace('Orders', 'Late'),
      'src/orders.ts': WITHOUT_MODEL,
    });
    subject.open('src/late.ts', 'src/orders.ts', 'flue.config.ts');
    expect(await subject.findings('src/late.ts')).toMatchObject([{ code: 701006, category: 'error' }]);
    expect(await subject.findings('src/orders.ts')).toEqual([]);
    subject.edit('flue.config.ts', config('warn'));
    expect(await subject.findings('src/late.ts')).toMatchObject([{ code: 701006, category: 'error' }]);
    expect(await subject.findings('src/orders.ts')).toMatchObject([{ code: 702101, category: 'warning' }]);
  });

  it('says where sources and entries lie', async () => {
    const subject = project({
      'flue.config.ts': "export default { sourceRoot: 'src/app', check: { profile: process.env.PROFILE } };",
      'src/app/orders.ts': ASYNC,
      'src/other/orders.ts': ASYNC,
    });
    subject.open('src/app/orders.ts', 'src/other/orders.ts');
    expect(await codes(subject, 'src/app/orders.ts')).toEqual([701006]);
    expect(await codes(subject, 'src/other/orders.ts')).toEqual([]);
  });
});

describe('what an editor can do about a fault', () => {
  interface CodeFix {
    readonly description: string;
    readonly changes: readonly { readonly fileName: string; readonly textChanges: readonly object[] }[];
  }

  it('is a repair and a comment with a reason, by the number that tsserver knows (RULE-36)', async () => {
    const subject = project({ 'src/orders.ts': SOUND.replace("'use agent'", '`use agent`') });
    const file = subject.path('src/orders.ts');
    subject.open('src/orders.ts');
    const fixable = await server.request<string[]>('getSupportedCodeFixes', { file });
    expect(fixable).toEqual(expect.arrayContaining(['2304', '701003']));
    const span = { startLine: 1, startOffset: 1, endLine: 1, endOffset: 5 };
    const fixes = await server.request<CodeFix[]>('getCodeFixes', { file, ...span, errorCodes: [701003] });
    expect(fixes).toMatchObject([
      {
        description: 'Write it as a plain string',
        changes: [{ fileName: file, textChanges: [{ newText: "'use agent';" }] }],
      },
      {
        description: 'Ignore FLUE1003 here, with a reason',
        changes: [{ textChanges: [{ newText: '// flue-ignore FLUE1003 -- reason\n' }] }],
      },
    ]);
  });
});

describe('beside the other hosts', () => {
  it('one project gives the same findings in the editor and in the compiler (RULE-01)', async () => {
    const files = {
      'src/agents/async.ts': ASYNC.replace('Orders', 'Late'),
      'src/agents/repeated.ts': SOUND.replace('Orders', 'Twice').replace(/( {2}useModel.*\n)/, '$1$1'),
      'src/agents/silent.ts': WITHOUT_MODEL.replace('Orders', 'Silent'),
      'src/agents/same-a.ts': SOUND,
      'src/agents/same-b.ts': `'use agent';\n${SOUND}`,
      'src/agents/lost.ts': SOUND.replace('Orders', 'Lost').replace(
        'import',
        "import './nowhere.ts';\nimport",
      ),
      'src/agents/writes.ts': `'use agent';
import { useModel, usePersistentState } from '@flue/runtime';
import { bump } from '../bump.ts';
export function Writes() {
  useModel('anthropic/claude-haiku-4-5');
  const [, setN] = usePersistentState('n', 0);
  bump(setN);
}
`,
      'src/bump.ts': 'export function bump(set: (next: number) => void) {\n  set(1);\n}\n',
      'src/tools.ts':
        "import { defineTool } from '@flue/runtime';\nexport const bad = defineTool({ name: 'no spaces' });\n",
      'src/broken.ts': "import { useModel } from '@flue/runtime';\nexport function (\n",
      'src/scripts/plain.ts': 'export const untouched = 1;\n',
    };
    const subject = project(files);
    const opened = Object.keys(files).sort();
    subject.open(...opened);

    const editor = [];
    for (const path of opened) {
      const findings = await subject.findings(path);
      const here = findings.map(({ code, category, start, length, message }) => {
        const severity = category === 'suggestion' ? 'advice' : category;
        return { code: `FLUE${code - 700_000}`, severity, path, start, length, message };
      });
      editor.push(...here.sort((a, b) => a.start - b.start || (a.code < b.code ? -1 : 1)));
    }

    const compiler = await openCompiler((await loadProject({ root: subject.root })).project);
    const reported = compiler.compile().diagnostics.map(({ code, severity, span, message }) => ({
      code,
      severity: severity === 'info' || severity === 'hint' ? 'advice' : severity,
      path: span.path,
      start: span.start,
      length: span.end - span.start,
      message,
    }));
    expect(new Set(reported.map(({ code }) => code)).size).toBeGreaterThan(6);
    expect(editor).toEqual(reported);
  });
});

describe('an engine that fails', () => {
  it("leaves TypeScript's own diagnostics as they are (RULE-05)", async () => {
    const failing = await buildPlugin({
      '@flue/compiler/analysis': join(import.meta.dirname, 'fixtures/broken-engine.ts'),
    });
    const other = startTsServer({ plugins: failing.folder });
    try {
      const subject = project({ 'src/orders.ts': `${ASYNC}export const count: number = 'three';\n` }, other);
      subject.open('src/orders.ts');
      expect(await subject.diagnostics('src/orders.ts')).toMatchObject([{ code: 2322, category: 'error' }]);
    } finally {
      await other.close();
      failing.remove();
    }
  });
});
