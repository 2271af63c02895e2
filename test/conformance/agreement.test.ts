import { type Rule, rules } from '@flue/compiler/analysis';
import { GeneralSubagent } from '@flue/runtime';
import { RULES } from '@flue/runtime/internal';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { WireServer } from '../support/wire-server.ts';
import {
  ENVIRONMENT,
  FAILS_OTHERWISE,
  FLAGS,
  LATER_EXAMPLES,
  LATER_EXPORTS,
  LATER_RULES,
  SANDBOX_KIT,
  SEEN_AS,
  SHARED,
  UNSEEN,
  Varying,
} from './agreement-tables.ts';
import { enact, type Outcome, startModels } from './support/enact.ts';
import { ENTRIES, evaluate, importsOf } from './support/evaluate.ts';
import { type Example, examplesOf } from './support/examples.ts';

const judged = rules.filter(({ severity }) => severity === 'error' || severity === 'warning');
const enacted = judged.filter(({ code }) => !(code in UNSEEN) && !(code in LATER_RULES));

let models: WireServer;
beforeAll(async () => {
  for (const [name, value] of Object.entries(ENVIRONMENT)) vi.stubEnv(name, value);
  models = await startModels();
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await models.close();
});

for (const rule of enacted) {
  describe(`${rule.code} ${rule.name}`, () => {
    for (const example of examplesOf(rule)) {
      const waits = waitsFor(example);
      const title = example.isBad
        ? `${example.title} fails at run time as the compiler says (RULE-16, ERR-12, HOOK-09)`
        : `${example.title} does not fail at run time (RULE-16)`;
      if (waits) it.skip(`${title}: waits for ${waits}`, () => {});
      else it(title, () => (example.isBad ? proveFault(rule, example) : proveSound(example)));
    }
  });
}

describe('the tables', () => {
  it('name rules that the catalogue has, each once', () => {
    const named = [...Object.keys(UNSEEN), ...Object.keys(LATER_RULES)];
    expect(new Set(named).size).toBe(named.length);
    expect([...named, ...Object.keys(SEEN_AS)].filter((code) => !(code in RULES))).toEqual([]);
  });

  it('leave no rule that is neither run nor explained (RULE-16)', () => {
    expect(enacted.filter((rule) => examplesOf(rule).length === 0).map(({ code }) => code)).toEqual([]);
    const hints = rules.filter((rule) => !judged.includes(rule)).map(({ code }) => code as string);
    expect(Object.keys(UNSEEN).filter((code) => hints.includes(code))).toEqual([]);
  });

  it('name examples that exist and are run', () => {
    const titles = enacted.flatMap(examplesOf).map(({ title }) => title);
    const named = [LATER_EXAMPLES, FLAGS, FAILS_OTHERWISE].flatMap(Object.keys);
    expect(named.filter((title) => !titles.includes(title))).toEqual([]);
  });

  it('name as later only what the runtime does not export', () => {
    const exported = Object.values(ENTRIES).flatMap(Object.keys);
    expect(LATER_EXPORTS.filter((name) => exported.includes(name))).toEqual([]);
  });

  it('leave no import of an example that is neither there nor promised', () => {
    const missing = enacted.flatMap(examplesOf).flatMap((example) => {
      const names = missingImports(example).filter((name) => !LATER_EXPORTS.includes(name));
      return names.map((name) => `${example.title}: ${name}`);
    });
    expect(missing).toEqual([]);
  });
});

async function proveFault(rule: Rule, example: Example): Promise<void> {
  const outcomes = await outcomesOf(example);
  const failing = outcomes.filter((outcome) => isFault(rule, outcome));
  const story = JSON.stringify(outcomes, null, 2);
  if (example.severity === 'error') expect(failing.length, story).toBe(outcomes.length);
  else expect(failing.length, story).toBeGreaterThan(0);
}

async function proveSound(example: Example): Promise<void> {
  for (const { codes, failures } of await outcomesOf(example)) {
    expect(codes, failures.join('; ')).toEqual([]);
    if (!(example.title in FAILS_OTHERWISE)) expect(failures).toEqual([]);
  }
}

function waitsFor(example: Example): string | undefined {
  return LATER_EXAMPLES[example.title] ?? missingImports(example)[0];
}

function missingImports({ files }: Example): string[] {
  return Object.values(files).flatMap((text) =>
    importsOf(text).flatMap(({ specifier, names }) => {
      const entry = ENTRIES[specifier];
      return entry ? names.filter((name) => !(name in entry)) : [];
    }),
  );
}

/** One outcome for each value that the snippet's `flag()` may give. */
async function outcomesOf(example: Example): Promise<Outcome[]> {
  const asksFlag = Object.values(example.files).some((text) => text.includes('flag('));
  const values = FLAGS[example.title] ?? (asksFlag ? [true, false] : [undefined]);
  const outcomes: Outcome[] = [];
  for (const value of values) {
    const flag = () => (value instanceof Varying ? value.next() : value);
    const shared = await evaluate(SHARED, { packages: {} });
    const tools = shared.get('src/tools.ts') ?? {};
    const files = { ...example.files, ...SHARED };
    const world = {
      packages: { flags: { flag }, 'sandbox-kit': SANDBOX_KIT },
      ambient: { flag, t1: tools.t1, t2: tools.t2, GeneralSubagent },
    };
    outcomes.push(await enact(files, world, models));
  }
  return outcomes;
}

/** Whether the runtime says what the rule says, or what stands for it. */
function isFault({ code }: Rule, { codes, failures }: Outcome): boolean {
  const accepted = SEEN_AS[code] ?? [code];
  return accepted.some(
    (name) => codes.includes(name) || failures.some((text) => text.startsWith(`${name}:`)),
  );
}
