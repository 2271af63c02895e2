import { describe, expect, it } from 'vitest';
import { bindIdentities } from './bind-identities.ts';

const agent = { local: 'Orders', identity: 'order-desk' };
const source = `'use agent';\nimport { useModel } from '@flue/runtime';\nexport function Orders() {\n  useModel('offline/demo');\n}\n`;

describe('the identity transform', () => {
  it('appends one import and one call per agent, after everything authored (BIND-01, BIND-02, BIND-04)', () => {
    const { code } = bindIdentities(source, [agent, { local: 'Other', identity: 'Other' }], 'a.ts')!;
    expect(code.slice(source.length)).toBe(
      [
        '',
        "import { __flueBindAgentModule as __flueBind0 } from '@flue/runtime';",
        '__flueBind0(Orders, { identity: "order-desk" });',
        '__flueBind0(Other, { identity: "Other" });',
        '',
      ].join('\n'),
    );
  });

  it('moves no authored text: the directive becomes spaces of its length (BIND-05)', () => {
    const { code } = bindIdentities(source, [agent], 'a.ts')!;
    expect(code.slice(0, source.length)).toBe(source.replace("'use agent'", ' '.repeat(11)));
  });

  it('leaves a bound module as it is, and adds only the call that lacks (BIND-07)', () => {
    const { code } = bindIdentities(source, [agent], 'a.ts')!;
    expect(bindIdentities(code, [agent], 'a.ts')).toBeUndefined();
    const second = bindIdentities(code, [agent, { local: 'Other', identity: 'Other' }], 'a.ts')!.code;
    expect(second.match(/\(Orders, \{ identity/g)).toHaveLength(1);
    expect(second).toContain('__flueBind1(Other, { identity: "Other" });');
  });

  it('takes a name that is free in the module (BIND-03)', () => {
    const { code } = bindIdentities(`${source}const __flueBind0 = 1;\n`, [agent], 'a.ts')!;
    expect(code).toContain('as __flueBind1 }');
  });

  it('maps authored lines to themselves, keeps the original text and maps nothing to the rest (BIND-06)', () => {
    const { code, map } = bindIdentities(source, [agent], 'a.ts')!;
    expect(map.sources).toEqual(['a.ts']);
    expect(map.sourcesContent).toEqual([source]);
    const lines = map.mappings.split(';');
    const authored = source.split('\n').length;
    expect(lines.slice(0, authored - 1).every((line) => line !== '')).toBe(true);
    expect(lines.slice(authored).join('')).toBe('');
    expect(code.split('\n').length).toBeGreaterThan(authored);
  });
});
