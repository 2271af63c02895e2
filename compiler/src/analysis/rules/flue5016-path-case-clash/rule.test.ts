import { describe, expect, it } from 'vitest';
import { analyseExample } from '../examples.test.kit.ts';
import rule from './rule.ts';

function found(...paths: string[]): string[] {
  return foundIn(Object.fromEntries(paths.map((path) => [path, 'export {};'])));
}

function foundIn(files: Readonly<Record<string, string>>): string[] {
  return analyseExample(rule, files)
    .diagnostics.filter(({ code }) => code === rule.code)
    .map(({ message }) => message);
}

// Files that differ only in case cannot lie side by side everywhere, so these examples live in memory.
describe('FLUE5016 path-case-clash', () => {
  it('two files that differ in case are reported at each (DET-07)', () => {
    expect(found('src/agents/Orders.ts', 'src/agents/orders.ts')).toEqual([
      'src/agents/Orders.ts and src/agents/orders.ts differ only in case; they are one file on other systems.',
      'src/agents/orders.ts and src/agents/Orders.ts differ only in case; they are one file on other systems.',
    ]);
  });

  it('so are two folders', () => {
    expect(found('src/Tools/x.ts', 'src/tools/y.ts')).toHaveLength(2);
  });

  it('and so are two skills, at their imports', () => {
    const files = {
      'src/a.ts':
        "import a from './skills/a/SKILL.md';\nimport b from './Skills/b/SKILL.md';\nexport { a, b };",
      'src/skills/a/SKILL.md': 'a',
      'src/Skills/b/SKILL.md': 'b',
    };
    expect(foundIn(files)).toEqual([
      'src/skills and src/Skills differ only in case; they are one file on other systems.',
      'src/Skills and src/skills differ only in case; they are one file on other systems.',
    ]);
  });

  it('entries outside of the project are nobody’s business here (FLUE5016.n2)', () => {
    expect(found('../lib/A.ts', '../lib/a.ts')).toEqual([]);
  });

  it('one of them alone, and names that differ by more, are accepted', () => {
    expect(found('src/agents/orders.ts')).toEqual([]);
    expect(found('src/agents/orders.ts', 'src/agents/order.ts')).toEqual([]);
  });
});
