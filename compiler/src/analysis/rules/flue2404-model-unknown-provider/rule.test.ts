import { describe, expect, it } from 'vitest';
import { line, runExamples } from '../examples.test.kit.ts';
import { findingsOnDisk } from '../project-examples.test.kit.ts';
import rule from './rule.ts';

// FLUE2404: every example of the folder is run, and every safe fix removes its finding.
runExamples(rule, import.meta.url);

describe('the configuration', () => {
  const agent = (specifier: string) =>
    `'use agent';\nimport { useModel } from '@flue/runtime';\nexport function Agent() {\n  useModel('${specifier}');\n}\n`;
  const found = async (config: string, specifier: string) =>
    (await findingsOnDisk(rule, { 'flue.config.ts': config, 'src/a.ts': agent(specifier) })).map(line);

  it('leaves out every provider that its list does not name (FLUE2404.b, PROV-02)', async () => {
    const config = "export default { providers: ['anthropic'] };";
    expect(await found(config, 'openai/gpt-5')).toEqual(['src/a.ts:4 FLUE2404 warning']);
    expect(await found(config, 'anthropic/claude-haiku-4-5')).toEqual([]);
    expect(await found(config, 'offline/demo')).toEqual([]);
  });

  it('of a Worker brings a provider of its own (FLUE2404.n2)', async () => {
    const config = "export default { target: 'cloudflare', providers: [] };";
    expect(await found(config, 'cloudflare/@cf/any/model')).toEqual([]);
    expect(await found(config, 'openai/gpt-5')).toHaveLength(1);
  });
});
