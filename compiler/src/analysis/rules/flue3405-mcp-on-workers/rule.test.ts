import { describe, expect, it } from 'vitest';
import { analyseExample, line, runExamples } from '../examples.test.kit.ts';
import { findingsOnDisk } from '../project-examples.test.kit.ts';
import rule from './rule.ts';

// FLUE3405 (CF-605): every example of the folder is run.
runExamples(rule, import.meta.url);

const connect = "import { connectMcpServer } from '@flue/runtime';\n";
const found = (text: string, path = 'src/a.ts') =>
  analyseExample(rule, { 'src/cloudflare.ts': 'export default {};', [path]: `${connect}${text}` })
    .diagnostics.filter(({ code }) => code === rule.code)
    .map(line);

describe('a connection of a Worker', () => {
  it('is taken apart at module scope in any form (FLUE3405.a)', () => {
    const error = ['src/a.ts:2 FLUE3405 error'];
    expect(found("export const { tools } = await connectMcpServer('x', { url: 'https://x.dev' });")).toEqual(
      error,
    );
    expect(
      found("export const n = (await connectMcpServer('x', { url: 'https://x.dev' })).tools.length;"),
    ).toEqual(error);
  });

  it('is nobody’s business in a test (FLUE3405.n2)', () => {
    expect(found("await connectMcpServer('x', { url: 'https://x.dev' });", 'test/a.ts')).toEqual([]);
  });

  it('of the discovered database entry never reaches the Worker (CF-103)', async () => {
    const db = `${connect}await connectMcpServer('x', { url: 'https://x.dev' });\nexport default {};\n`;
    const config = "export default { target: 'cloudflare' };";
    expect(await findingsOnDisk(rule, { 'flue.config.ts': config, 'src/db.ts': db })).toEqual([]);
    expect(await findingsOnDisk(rule, { 'flue.config.ts': config, 'src/setup.ts': db })).toHaveLength(1);
  });
});
