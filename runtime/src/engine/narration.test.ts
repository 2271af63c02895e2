import { describe, expect, it } from 'vitest';
import type { Resources } from '../ports/model-shapes.ts';
import { type Catalog, digest, narrate, snapshotOf } from './narration.ts';

const environment: Resources['environment'] = { attached: false, cwd: '/workspace' };
const tool = (name: string, version = '1') => ({
  name,
  description: `Does ${name}.`,
  digest: digest(name + version),
});
const catalog = (instructions: string | undefined, ...tools: Catalog['tools']): Catalog => ({
  instructions,
  skills: [],
  tools,
  subagents: [],
});
const told = (before: Catalog, after: Catalog) =>
  narrate(snapshotOf(before, environment), snapshotOf(after, environment), after);

describe('narration', () => {
  it('says nothing when the set and the document are the ones told, in any order (NARR-06)', () => {
    expect(told(catalog('x', tool('a'), tool('b')), catalog('x', tool('b'), tool('a')))).toEqual([]);
  });

  it('lists added, removed and updated tools and ends with the roster (NARR-10, NARR-11, NARR-12)', () => {
    const [signal, ...rest] = told(
      catalog('x', tool('old'), tool('kept'), tool('changed')),
      catalog('x', tool('kept'), tool('changed', '2'), tool('new')),
    );
    expect(rest).toEqual([]);
    expect(signal).toEqual({
      signalType: 'resources',
      attributes: { resource: 'tool' },
      body: [
        'New tool available:',
        '- **new** — Does new.',
        'The tool "old" is no longer available.',
        'The tool "changed" was updated.',
        'All available tools: kept, changed, new',
      ].join('\n'),
    });
  });

  it('uses the plural for several and names an empty roster (NARR-12)', () => {
    expect(told(catalog('x'), catalog('x', tool('a'), tool('b')))[0]?.body).toMatch(
      /^New tools available:\n- \*\*a/,
    );
    expect(told(catalog('x', tool('a')), catalog('x'))[0]?.body).toMatch(/All available tools: \(none\)$/);
  });

  it('marks a changed, gained or lost document before the tools (NARR-07, NARR-15, NARR-16)', () => {
    const changed = told(catalog('x', tool('a')), catalog('y'));
    expect(changed.map((signal) => signal.signalType)).toEqual(['instructions', 'resources']);
    expect(changed[0]).toEqual({ signalType: 'instructions', body: 'System instructions updated.' });
    expect(told(catalog(undefined), catalog('x'))).toHaveLength(1);
    expect(told(catalog('x'), catalog(undefined))).toHaveLength(1);
  });

  it('names skills before tools, and shows the line of an updated one (NARR-07, NARR-12, NARR-13)', () => {
    const skill = (name: string, description: string) => ({ name, description, digest: digest(description) });
    const before = { ...catalog('x', tool('a')), skills: [skill('faq', 'Answers.'), skill('old', 'Old.')] };
    const after = { ...catalog('x'), skills: [skill('faq', 'Answers well.')] };
    expect(told(before, after)).toEqual([
      {
        signalType: 'resources',
        attributes: { resource: 'skill' },
        body: [
          'The skill "old" is no longer available.',
          'The skill "faq" was updated:',
          '- **faq** — Answers well.',
          'All available skills: faq',
        ].join('\n'),
      },
      expect.objectContaining({ attributes: { resource: 'tool' } }),
    ]);
  });

  it('names delegates last, as agents (NARR-07, NARR-12, NARR-13)', () => {
    const agent = (name: string, description: string) => ({ name, description, digest: digest(description) });
    const before = {
      ...catalog('x', tool('a')),
      subagents: [agent('old', 'Old.'), agent('scout', 'Looks.')],
    };
    const after = { ...catalog('x'), subagents: [agent('scout', 'Looks well.'), agent('new', 'New.')] };
    expect(told(before, after).map(({ attributes }) => attributes)).toEqual([
      { resource: 'tool' },
      { resource: 'subagent' },
    ]);
    expect(told(before, after)[1]?.body).toBe(
      [
        'New agent available:',
        '- **new** — New.',
        'The agent "old" is no longer available.',
        'The agent "scout" was updated:',
        '- **scout** — Looks well.',
        'All available agents: scout, new',
      ].join('\n'),
    );
  });

  it('takes digests of another algorithm as equal (RCD-17)', () => {
    const now = catalog('x', tool('a'));
    const before: Resources = {
      ...snapshotOf(now, environment),
      instructions: 'md5:1',
      tools: [['a', 'md5:2']],
    };
    expect(narrate(before, snapshotOf(now, environment), now)).toEqual([]);
  });
});
