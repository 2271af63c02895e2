import { describe, expect, it } from 'vitest';
import { AGENT } from '../../../testing/sources.fixture.ts';
import { applyFix } from '../examples.test.kit.ts';
import { findingsOnDisk, runProjectExamples } from '../project-examples.test.kit.ts';
import rule from './rule.ts';

// FLUE5012: every example of the folder is run as a project on disk, and every safe fix removes its finding.
runProjectExamples(rule, import.meta.url);

const config = { 'flue.config.ts': "export default { target: 'cloudflare' };" };
const chat = { ...config, 'src/a.ts': AGENT.replace('Orders', 'Chat') };
const wrangler = (...migrations: object[]) => ({ 'wrangler.jsonc': JSON.stringify({ migrations }) });
const introduced = { tag: 'v1', new_sqlite_classes: ['FlueChatAgent'] };

describe('the migrations of a Worker', () => {
  it('get one entry behind the others, which stay (CF-108)', async () => {
    const files = { ...chat, ...wrangler({ tag: 'v0', new_sqlite_classes: ['Counter'] }) };
    const [diagnostic] = await findingsOnDisk(rule, files);
    expect(diagnostic?.fixes).toMatchObject([{ safe: true }]);
    const fixed = applyFix(files, diagnostic!.fixes[0]!)['wrangler.jsonc']!;
    expect(JSON.parse(fixed).migrations).toEqual([
      { tag: 'v0', new_sqlite_classes: ['Counter'] },
      { tag: 'flue-FlueChatAgent', new_sqlite_classes: ['FlueChatAgent'] },
    ]);
  });

  it('are never made to delete or rename unasked: that decides about stored conversations (LOCK-09)', async () => {
    const gone = await findingsOnDisk(rule, { ...config, ...wrangler(introduced) });
    expect(gone).toMatchObject([
      {
        message: expect.stringContaining('FlueChatAgent is no longer exported; the deploy will be refused.'),
        fixes: [{ safe: false }],
      },
    ]);
    const renamed = { ...config, 'src/a.ts': AGENT.replace('Orders', 'Support'), ...wrangler(introduced) };
    const found = await findingsOnDisk(rule, renamed);
    expect(found.map(({ fixes }) => fixes[0]?.safe)).toEqual([false, false]);
    expect(found[0]?.message).toContain(
      '"renamed_classes":[{"from":"FlueChatAgent","to":"FlueSupportAgent"}]',
    );
  });

  it('must be complete with --frozen (RULE-33)', async () => {
    const files = { ...chat, ...wrangler() };
    expect(await findingsOnDisk(rule, files, { frozen: true })).toMatchObject([{ severity: 'error' }]);
  });

  it('are nobody’s business without a file, with one that cannot be read, or on Node (FLUE5012.n1)', async () => {
    expect(await findingsOnDisk(rule, chat)).toEqual([]);
    expect(await findingsOnDisk(rule, { ...chat, 'wrangler.jsonc': '{ "migrations": [' })).toEqual([]);
    expect(await findingsOnDisk(rule, { 'src/a.ts': AGENT, ...wrangler() })).toEqual([]);
  });

  it('may delete and transfer', async () => {
    const deleted = { tag: 'v2', deleted_classes: ['FlueChatAgent'] };
    expect(await findingsOnDisk(rule, { ...config, ...wrangler(introduced, deleted) })).toEqual([]);
    const moved = { tag: 'v1', transferred_classes: [{ from: 'X', from_script: 's', to: 'FlueChatAgent' }] };
    expect(await findingsOnDisk(rule, { ...chat, ...wrangler(moved) })).toEqual([]);
  });
});
