import type { ConversationRecord } from '../../records/index.ts';
import { entryId } from '../entries.ts';
import { ROOT } from '../state.ts';
import { earlier, isSignalAs, isStep, later, type Step, violation } from '../step.ts';

/** RCD-64: data parts show beside what the model said, each in one place. */
export function checkData(step: Step): void {
  if (!isStep(step, 'data_written')) return;
  const { response } = step.state;
  const { name, part } = step.record;
  if (!response || response.completedSteps === 0)
    violation(step, 'data', 'no model call of the response has completed');
  const place = response.data.get(name) ?? response.nextPart;
  if (part !== place) violation(step, 'data', `the part of ${name} is ${place}`);
}

/** RCD-65: a baseline comes first and after a compaction; any other snapshot follows what narrated it. */
export function checkResources(step: Step): void {
  if (!isStep(step, 'resources_recorded')) return;
  const { state, record } = step;
  const isRebaseline = earlier(step, isRootCompaction, isResources) !== undefined;
  const isBaseline = state.resources === undefined || isRebaseline;
  if (isBaseline !== (record.prompt !== undefined)) {
    violation(
      step,
      'resources',
      isBaseline ? 'a baseline holds the prompt' : 'only a baseline holds a prompt',
    );
  }
  if (isBaseline) return;
  if (!earlier(step, (other) => isSignalAs(other, 'narration'), isResources)) {
    violation(step, 'resources', 'nothing was narrated');
  }
}

/** RCD-66: what a compaction keeps is there, and the root is told anew what it has. */
export function checkCompaction(step: Step): void {
  if (!isStep(step, 'compaction')) return;
  const { state, record, conv } = step;
  const { firstKeptEntryId } = record;
  const entries = state.windows.get(conv)?.entries ?? [];
  const isThere = entries.some((entry) => entryId(state.incarnation, conv, entry) === firstKeptEntryId);
  if (firstKeptEntryId !== null && !isThere)
    violation(step, 'compaction', `${firstKeptEntryId} is not in the window`);
  if (conv !== ROOT) return;
  if (!later(step, (other) => other.type === 'resources_recorded' && other.prompt !== undefined)) {
    violation(step, 'compaction', 'no new baseline follows');
  }
}

function isRootCompaction(record: ConversationRecord): boolean {
  return record.type === 'compaction' && record.conv === undefined;
}

function isResources(record: ConversationRecord): boolean {
  return record.type === 'resources_recorded';
}
