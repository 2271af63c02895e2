import { analyse, memoryHost, rules } from '@flue/compiler/analysis';
import fc from 'fast-check';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { SHARED } from './agreement-tables.ts';
import { examplesOf } from './support/examples.ts';

/** `FLUE_FILES` asks for more, `FLUE_SEED` for others. */
const FILES = Number(process.env.FLUE_FILES ?? 500);
const SEED = Number(process.env.FLUE_SEED ?? 5_005);
const TIMEOUT_MS = 60_000 + 200 * FILES;
/** of processor time, so that a busy machine does not count */
const LIMIT_MS = 1000;

const texts = rules.flatMap(examplesOf).flatMap(({ files }) => Object.values(files));

/** What stands at a random place of a file while somebody types, pastes or merges. */
const SCRAPS = [
  '',
  '{',
  '}',
  '(',
  ')',
  '[',
  "'",
  '`',
  '`${',
  '/*',
  '=>',
  '...',
  '@',
  '#x',
  'await ',
  'async ',
  'export default ',
  'class A extends ',
  'switch (x) { case ',
  'for (const x of ',
  'try {',
  'label: ',
  'useTool(',
  "useModel('openai/gpt-5');",
  '\u0000',
  '\u2028',
  '\ud800',
  '<<<<<<< HEAD\n',
];

interface Edit {
  /** where, as a part of the text's length */
  readonly at: number;
  /** characters taken away */
  readonly removed: number;
  readonly inserted: string;
}

const edit: fc.Arbitrary<Edit> = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  removed: fc.oneof(fc.nat({ max: 12 }), fc.constant(Number.POSITIVE_INFINITY)),
  inserted: fc.oneof(fc.constantFrom(...SCRAPS), fc.nat({ max: texts.length - 1 }).map(pieceOf)),
});

/** The second half of another example. */
function pieceOf(index: number): string {
  const text = texts[index] ?? '';
  return text.slice(text.length / 2);
}

function apply(text: string, { at, removed, inserted }: Edit): string {
  const start = Math.floor(at * text.length);
  return text.slice(0, start) + inserted + text.slice(start + removed);
}

describe('a damaged file', () => {
  it(
    'breaks no rule and holds nobody up (RULE-05, RULE-14)',
    () => {
      fc.assert(
        fc.property(
          fc.constantFrom(...texts),
          fc.array(edit, { minLength: 1, maxLength: 3 }),
          (text, edits) => {
            const damaged = edits.reduce(apply, text);
            const started = process.cpuUsage();
            const host = memoryHost(ts, { 'src/damaged.ts': damaged, ...SHARED });
            const { failures } = analyse(['src/damaged.ts'], host, { profile: 'strict' });
            const { user, system } = process.cpuUsage(started);
            expect(failures, damaged).toEqual([]);
            expect((user + system) / 1000, damaged).toBeLessThan(LIMIT_MS);
          },
        ),
        { numRuns: FILES, seed: SEED },
      );
    },
    TIMEOUT_MS,
  );
});
