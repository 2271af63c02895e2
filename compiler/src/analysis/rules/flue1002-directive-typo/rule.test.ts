import ts from 'typescript';
import { expect, it } from 'vitest';
import { analyse } from '../../analyse.ts';
import { memoryHost } from '../../memory-host.ts';
import { runExamples } from '../examples.test.kit.ts';
import rule from './rule.ts';

// FLUE1002: every example of the folder is run, and every safe fix removes its finding.
runExamples(rule, import.meta.url);

const found = (directive: string) => {
  const text = `'${directive}';\nexport function Desk() {}\n`;
  const { diagnostics } = analyse(['src/a.ts'], memoryHost(ts, { 'src/a.ts': text }));
  return diagnostics.filter(({ code }) => code === rule.code);
};

it.each(['use agents', 'use-agent', 'Use Agent', 'useagent', 'use_agent', 'use aget', 'use  agent'])(
  '%j is explained, with a repair that is safe, and no scan passes over it (PC-072)',
  (directive) => {
    const [diagnostic, ...others] = found(directive);
    expect(others).toEqual([]);
    expect(diagnostic).toMatchObject({
      severity: 'error',
      fixes: [{ safe: true, edits: [{ start: 1, end: directive.length + 1, text: 'use agent' }] }],
    });
  },
);

it.each([
  'use strict',
  'use client',
  'use server',
  'use cache',
  'use workflow',
  'use asm',
  'user agent string',
])('%j is left alone (PC-072)', (directive) => {
  expect(found(directive)).toEqual([]);
});
