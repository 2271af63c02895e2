import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { analyse } from '../analyse.ts';
import type { Part, Project } from '../compose/project.ts';
import { memoryHost } from '../memory-host.ts';
import { readExamples } from '../rules/examples.test.kit.ts';
import { rules } from '../rules/index.ts';
import { readSnippets } from '../rules/snippets.test.kit.ts';
import { checkProject } from './check.ts';

const RULES = fileURLToPath(new URL('../rules', import.meta.url));
/** Also those that are off unless somebody asks for them. */
const AS_ERRORS = Object.fromEntries(rules.map(({ code }) => [code, 'error' as const]));

type Files = Readonly<Record<string, string>>;

/** All findings of a project that is checked in these parts. */
function found(project: Project, parts: readonly Part[]): string[] {
  const { diagnostics, failures } = checkProject({ ...project, parts }, rules, { severities: AS_ERRORS });
  expect(failures).toEqual([]);
  return diagnostics.map(({ code, span, message }) => `${span.path}:${span.start} ${code} ${message}`);
}

function bothWays(files: Files) {
  const modules = Object.keys(files).filter((path) => /(?<!\.d)\.[cm]?[jt]sx?$/.test(path));
  const { project } = analyse(modules, memoryHost(ts, files));
  return {
    whole: found(project, [{ modules: project.modules }]),
    each: found(
      project,
      project.modules.map((module) => ({ modules: [module] })),
    ),
  };
}

const folders = readdirSync(RULES).filter((name) => existsSync(join(RULES, name, 'examples')));
const examples = folders.flatMap((folder) =>
  readExamples(join(RULES, folder, 'examples')).map(
    ({ name, files }) => [`${folder} ${name}`, files] as const,
  ),
);
const snippets = readSnippets().map(({ code, text, files }) => [`${code} ${text}`, files] as const);
const SEVERAL = [...examples, ...snippets].filter(([, files]) => Object.keys(files).length > 1);

describe('where the parts of a project end changes no finding (CACHE-04, RULE-01)', () => {
  it.each(SEVERAL)('%s', (_, files) => {
    const { whole, each } = bothWays(files);
    expect(each).toEqual(whole);
  });

  it('of an application that stands apart from its agents', () => {
    const { whole, each } = bothWays({
      'src/agents/desk.ts':
        "'use agent';\nimport { useModel } from '@flue/runtime';\nexport function Desk() { useModel('a/b'); }\nexport function plain() {}\n",
      'src/app.ts':
        "import { dispatch } from '@flue/runtime';\nimport { createAgentRouter } from '@flue/runtime/routing';\nimport { Desk, plain } from './agents/desk.ts';\nexport const router = createAgentRouter(Desk);\nexport const send = () => dispatch(Desk, { id: '1', message: 'a' });\nexport const other = createAgentRouter(plain);\n",
    });
    expect(each).toEqual(whole);
    expect(each.filter((line) => line.startsWith('src/app.ts'))).toEqual([
      expect.stringContaining('FLUE4009'),
    ]);
  });
});
