import { describe, expect, it } from 'vitest';
import { decoratedService } from './language-service.fixture.ts';

const AGENT = `'use agent';
import { useModel } from '@flue/runtime';
import { useSetup } from './setup.ts';
export function Orders() {
  useModel('anthropic/claude-haiku-4-5');
  useSetup();
}
`;
const SETUP = 'export function useSetup() {}\n';
const MODEL = "import { useModel } from '@flue/runtime';\nexport function useSetup() { useModel('a/b'); }\n";
const WITHOUT_MODEL = AGENT.replace(/ {2}useModel.*\n/, '');

describe('a file that is none of ours', () => {
  it('is opened and edited without an analysis and without a walk over the program (PERF-11)', () => {
    const service = decoratedService({ 'src/orders.ts': AGENT, 'src/setup.ts': SETUP, 'src/plain.ts': '' });
    service.codes('src/orders.ts');
    service.logged();
    service.walks();
    expect(service.codes('src/plain.ts')).toEqual([]);
    service.edit('src/plain.ts', 'export const a = 1;');
    expect(service.codes('src/plain.ts')).toEqual([]);
    expect(service.walks()).toBe(0);
    expect(service.logged()).toEqual([]);
  });

  it('becomes ours with the edit that marks it', () => {
    const service = decoratedService({ 'src/orders.ts': AGENT, 'src/setup.ts': SETUP, 'src/plain.ts': '' });
    service.codes('src/plain.ts');
    service.edit('src/plain.ts', "'use agent';\nexport async function Plain() {}\n");
    expect(service.codes('src/plain.ts')).toContain(701006);
  });
});

describe('an analysis', () => {
  it('is not repeated while no file that it rests on has changed (RULE-35)', () => {
    const service = decoratedService({ 'src/orders.ts': AGENT, 'src/setup.ts': SETUP, 'src/plain.ts': '' });
    service.codes('src/orders.ts');
    expect(service.logged()).toEqual(['flue: analysed a project of 2 files']);
    service.codes('src/setup.ts');
    service.edit('src/plain.ts', 'export const a = 1;');
    service.codes('src/orders.ts');
    expect(service.logged()).toEqual([]);
    service.edit('src/setup.ts', `${SETUP}export const b = 1;\n`);
    service.codes('src/orders.ts');
    expect(service.logged()).toHaveLength(1);
  });

  it('follows files that come and go (RULE-35)', () => {
    const service = decoratedService({ 'src/orders.ts': AGENT });
    expect(service.codes('src/orders.ts')).toEqual([705005]);
    service.edit('src/setup.ts', MODEL);
    expect(service.codes('src/orders.ts')).toEqual([702102]);
    service.edit('src/setup.ts', undefined);
    expect(service.codes('src/orders.ts')).toEqual([705005]);
  });

  it('follows files that no program holds (RULE-35)', () => {
    const agent = AGENT.replace('{ useSetup }', 'setup').replace('./setup.ts', './setup.json');
    const service = decoratedService({ 'src/orders.ts': agent, 'src/plain.ts': '' });
    expect(service.codes('src/orders.ts')).toEqual([705005]);
    service.edit('src/setup.json', '{}');
    service.edit('src/plain.ts', 'export {};');
    expect(service.codes('src/orders.ts')).toEqual([]);
  });

  it('uses what a file said before its syntax broke, for the other files only (RULE-14)', () => {
    const service = decoratedService({ 'src/orders.ts': WITHOUT_MODEL, 'src/setup.ts': SETUP });
    expect(service.codes('src/orders.ts')).toContain(702101);
    service.edit('src/setup.ts', 'import "@flue/runtime";\nexport function useSetup( {}}');
    expect(service.codes('src/setup.ts')).toEqual([705001]);
    expect(service.codes('src/orders.ts')).toContain(702101);
  });

  it('belongs to the nearest project, and its paths are relative to that (CHK-03)', () => {
    const late = AGENT.replace('export', 'export async');
    const service = decoratedService({
      'packages/a/package.json': '{}',
      'packages/a/src/orders.ts': late,
      'packages/b/flue.config.ts': "export default { check: { rules: { 'import-unresolved': 'off' } } };",
      'packages/b/src/orders.ts': late,
    });
    expect(service.codes('packages/a/src/orders.ts')).toEqual([701006, 705005]);
    expect(service.codes('packages/b/src/orders.ts')).toEqual([701006]);
  });
});

it('a project that is configured anew shows each finding once (RULE-35)', () => {
  const service = decoratedService({ 'src/orders.ts': WITHOUT_MODEL, 'src/setup.ts': SETUP });
  service.decorateAgain();
  expect(service.codes('src/orders.ts')).toEqual([702101]);
});
