import { analyse, type Diagnostic, memoryHost } from '@flue/compiler/analysis';
import ts from 'typescript';
import { AGENT, type AgentText, KIT } from './agent-text.ts';
import type { RenderOutcome, Subject } from './outcomes.ts';

const SUBJECTS: readonly Subject[] = ['model', 't1', 't2', 'a', 'b'];

/** Where what the compiler says of a generated agent is not what its renders do: in words, with its text. */
export function disagreementOf(text: AgentText, outcomes: readonly RenderOutcome[]): string | undefined {
  const findings = diagnose(text);
  const disagreement = compare(findings, outcomes);
  if (disagreement === undefined) return undefined;
  const told = findings.map(({ code, severity, span }) => `${span.path}:${span.line} ${severity} ${code}`);
  return [disagreement, ...told, text.plain[AGENT], text.plain[KIT]].join('\n');
}

function diagnose({ plain }: AgentText): readonly Diagnostic[] {
  const { diagnostics, failures } = analyse([AGENT], memoryHost(ts, plain));
  if (failures.length > 0) throw new Error(JSON.stringify(failures));
  return diagnostics;
}

function compare(findings: readonly Diagnostic[], outcomes: readonly RenderOutcome[]): string | undefined {
  const renders = outcomes.filter(({ end }) => end !== 'stopped');
  if (renders.length === 0) return undefined;
  const repeated = SUBJECTS.map((subject) => declaredAgain(subject, findings, renders));
  return [modelMissing(findings, renders), ...repeated].find((disagreement) => disagreement !== undefined);
}

/** An error: no render that completes has a model. A warning: one has none. Silence: each has one. */
function modelMissing(
  findings: readonly Diagnostic[],
  outcomes: readonly RenderOutcome[],
): string | undefined {
  const renders = outcomes.filter(({ end }) => end === 'complete');
  if (renders.length === 0) return undefined;
  const said = findings.find(({ code }) => code === 'FLUE2101')?.severity;
  const without = renders.filter(({ hasModel }) => !hasModel).length;
  const expected = without === 0 ? undefined : without === renders.length ? 'error' : 'warning';
  if (said === expected) return undefined;
  return `${without} of ${renders.length} renders have no model; the compiler says ${said ?? 'nothing'}.`;
}

/**
 * An error at a place: every render that comes there fails. A warning: one does. Silence about a subject: none does.
 * Where all renders fail at one place, a warning is too little. A render that another subject's refusal cut short tells
 * nothing of what would have followed.
 */
function declaredAgain(
  subject: Subject,
  all: readonly Diagnostic[],
  renders: readonly RenderOutcome[],
): string | undefined {
  const findings = all.filter((finding) => subjectOf(finding) === subject);
  const tell = (fault: string) => `${fault} for ${subject}.`;
  const isCutShort = ({ end, refused }: RenderOutcome) => end === 'refused' && !refused.has(subject);
  const someCutShort = renders.some(isCutShort);
  for (const { severity, span } of findings) {
    const place = `${span.path}:${span.line}`;
    const here = renders.filter((render) => render.reached.has(place) && !isCutShort(render));
    const failed = here.filter(({ refused }) => refused.has(subject)).length;
    if (
      here.length > 0 &&
      ((failed === 0 && !someCutShort) || (severity === 'error' && failed < here.length))
    )
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
