import { analyse, type Diagnostic, memoryHost } from '@flue/compiler/analysis';
import fc from 'fast-check';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { agentSource } from './support/agent-grammar.ts';
import { AGENT, type AgentText, KIT, textOf } from './support/agent-text.ts';
import { outcomesOf, type RenderOutcome, type Subject } from './support/outcomes.ts';

/** `FLUE_BODIES` asks for more, `FLUE_SEED` for others. */
const BODIES = Number(process.env.FLUE_BODIES ?? 300);
const SEED = Number(process.env.FLUE_SEED ?? 20_304);
const TIMEOUT_MS = 60_000 + 600 * BODIES;

const SUBJECTS: readonly Subject[] = ['model', 't1', 't2', 'a', 'b'];

describe('the compiler and the runtime agree', () => {
  it(
    'about every generated body: FLUE2101, FLUE2102, FLUE2104, FLUE2105 (RULE-16, RULE-25)',
    async () => {
      await fc.assert(
        fc.asyncProperty(agentSource, async (source) => {
          const text = textOf(source);
          const outcomes = await outcomesOf(text);
          fc.pre(outcomes !== undefined);
          const disagreement = compare(diagnose(text), outcomes);
          expect(disagreement && story(disagreement, text)).toBeUndefined();
        }),
        { numRuns: BODIES, seed: SEED, maxSkipsPerRun: 20 },
      );
    },
    TIMEOUT_MS,
  );
});

function diagnose({ plain }: AgentText): readonly Diagnostic[] {
  const { diagnostics, failures } = analyse([AGENT], memoryHost(ts, plain));
  expect(failures).toEqual([]);
  return diagnostics;
}

function compare(findings: readonly Diagnostic[], outcomes: readonly RenderOutcome[]): string | undefined {
  const renders = outcomes.filter(({ isComplete }) => isComplete);
  if (renders.length === 0) return undefined;
  const repeated = SUBJECTS.map((subject) => declaredAgain(subject, findings, renders));
  return [modelMissing(findings, renders), ...repeated].find((disagreement) => disagreement !== undefined);
}

/** An error: no render that completes has a model. A warning: one has none. Silence: each has one. */
function modelMissing(
  findings: readonly Diagnostic[],
  renders: readonly RenderOutcome[],
): string | undefined {
  const said = findings.find(({ code }) => code === 'FLUE2101')?.severity;
  const without = renders.filter(({ hasModel }) => !hasModel).length;
  const expected = without === 0 ? undefined : without === renders.length ? 'error' : 'warning';
  if (said === expected) return undefined;
  return `${without} of ${renders.length} renders have no model; the compiler says ${said ?? 'nothing'}.`;
}

/**
 * An error at a place: every render that comes there fails. A warning: one does. Silence about a subject: none does.
 * Where all renders fail at one place, a warning is too little.
 */
function declaredAgain(
  subject: Subject,
  all: readonly Diagnostic[],
  renders: readonly RenderOutcome[],
): string | undefined {
  const findings = all.filter((finding) => subjectOf(finding) === subject);
  const tell = (fault: string) => `${fault} for ${subject}.`;
  for (const { severity, span } of findings) {
    const place = `${span.path}:${span.line}`;
    const here = renders.filter(({ reached }) => reached.has(place));
    const failed = here.filter(({ refused }) => refused.has(subject)).length;
    if (here.length > 0 && (failed === 0 || (severity === 'error' && failed < here.length)))
      return tell(
        `${failed} of ${here.length} renders that come to ${place} fail; the compiler says ${severity}`,
      );
  }
  const failed = renders.flatMap(({ refused }) => refused.get(subject)?.[0] ?? []);
  if (failed.length > 0 && findings.length === 0)
    return tell(`${failed.length} of ${renders.length} renders fail; the compiler says nothing`);
  const isCertain = failed.length === renders.length && new Set(failed).size === 1;
  if (isCertain && !findings.some(({ severity }) => severity === 'error'))
    return tell(`All ${renders.length} renders fail at ${failed[0]}; the compiler only warns`);
  return undefined;
}

function subjectOf({ code, message }: Diagnostic): string | undefined {
  if (code === 'FLUE2102') return 'model';
  return code === 'FLUE2104' || code === 'FLUE2105' ? /"(\w+)"/.exec(message)?.[1] : undefined;
}

function story(disagreement: string, text: AgentText): string {
  const told = diagnose(text).map(
    ({ code, severity, span }) => `${span.path}:${span.line} ${severity} ${code}`,
  );
  return [disagreement, ...told, text.plain[AGENT], text.plain[KIT]].join('\n');
}
