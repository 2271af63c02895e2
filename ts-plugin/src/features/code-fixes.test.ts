import { describe, expect, it } from 'vitest';
import { decoratedService } from '../language-service.fixture.ts';

const FILE = 'src/orders.ts';

describe('a repair', () => {
  it('removes its finding and is not offered again (RULE-36)', () => {
    const service = decoratedService({
      [FILE]: "`use agent`;\nexport function Orders() {\n  return 'x';\n}\n",
    });
    const { 'Write it as a plain string': text } = service.repaired(FILE, 701003);
    service.edit(FILE, text);
    expect(text).toMatch(/^'use agent';\n/);
    expect(service.codes(FILE)).not.toContain(701003);
  });
});

describe('a comment with the place for a reason (RULE-36)', () => {
  const suppressed = (source: string, code: number) => {
    const service = decoratedService({ [FILE]: source });
    const text = service.repaired(FILE, code)[`Ignore FLUE${code - 700_000} here, with a reason`];
    service.edit(FILE, text ?? source);
    return { text, codes: service.codes(FILE) };
  };

  it('stands above the statement, indented like it, and silences the finding', () => {
    const source = `'use agent';
import { useModel } from '@flue/runtime';
export function Orders() {
  useModel('anthropic/claude-haiku-4-5');
  if (1) {
    useModel('anthropic/claude-haiku-4-5');
  }
}
`;
    const { text, codes } = suppressed(source, 702102);
    expect(text).toContain('    // flue-ignore FLUE2102 -- reason\n    useModel');
    expect(codes).toEqual([]);
  });

  it('stands above a property of its own line', () => {
    const source = `import { defineTool } from '@flue/runtime';
export const look = defineTool({
  name: 'no spaces',
  description: 'Looks.',
  run: () => 'x',
});
`;
    const { text, codes } = suppressed(source, 703003);
    expect(text).toContain("  // flue-ignore FLUE3003 -- reason\n  name: 'no spaces'");
    expect(codes).not.toContain(703003);
  });

  it('never lands in a template', () => {
    const source = `'use agent';
import { useModel } from '@flue/runtime';
export function Orders() {
  useModel('anthropic/claude-haiku-4-5');
  return \`text
    \${useModel('anthropic/claude-haiku-4-5')}\`;
}
`;
    const { text, codes } = suppressed(source, 702102);
    expect(text).toContain('  // flue-ignore FLUE2102 -- reason\n  return `text\n    ${useModel');
    expect(codes).not.toContain(702102);
  });

  it('is not offered for what no comment silences (RULE-31)', () => {
    const agent =
      "'use agent';\nimport { useModel } from '@flue/runtime';\nexport function Orders() { useModel('a/b'); }\n";
    const service = decoratedService({ [FILE]: agent, 'src/again.ts': agent });
    expect(Object.keys(service.repaired(FILE, 701102)).filter((title) => title.startsWith('Ignore'))).toEqual(
      [],
    );
  });
});
