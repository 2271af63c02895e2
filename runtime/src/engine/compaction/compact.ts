import { bodyOf } from '../../conversation/fold/calls.ts';
import { entryId } from '../../conversation/fold/entries.ts';
import { windowOf } from '../../conversation/fold/queries.ts';
import type { Conversation, Entry } from '../../conversation/fold/state.ts';
import type { Compaction } from '../../conversation/records/index.ts';
import { messagesOf } from '../model-context.ts';
import { inConversation } from '../write-records.ts';
import { type Cut, findCut } from './cut.ts';
import type { CompactionLimits } from './limits.ts';
import { type SummaryPorts, type SummaryUsage, summarize } from './summarize.ts';
import { type ToldFiles, toldFiles } from './told-files.ts';

/** A compaction that has something to do, not yet summarized. */
export interface CompactionPlan {
  readonly conv: number;
  readonly cut: Cut;
  readonly entries: readonly Entry[];
  readonly former: Compaction | undefined;
}

/** `undefined`: nothing stands before what has to be kept (CMP-12). */
export function planCompaction(
  state: Conversation,
  keepTokens: number,
  conv: number,
): CompactionPlan | undefined {
  const { summary, entries } = windowOf(state, conv);
  const cut = findCut(entries, keepTokens);
  return cut && { conv, cut, entries, former: summary && bodyOf(summary) };
}

/** Of an output limit the larger part goes to the history, which all later turns rest on (CMP-07). */
const HISTORY_SHARE = 0.8;
const PREFIX_SHARE = 0.5;
const LARGEST_OUTPUT = 16_000;

export interface CompactionOrder {
  readonly reason: Compaction['reason'];
  readonly limits: CompactionLimits;
  /** HND-21 */
  readonly instructions?: string | undefined;
  readonly tokensBefore: number;
  /** of the submission whose response or request this belongs to */
  readonly submissionId: string;
}

/** Carries a plan out. Rejects as `summarize` does; then nothing was changed. */
export async function compact(
  state: Conversation,
  plan: CompactionPlan,
  order: CompactionOrder,
  ports: SummaryPorts,
): Promise<Omit<Compaction, 'v' | 'ts'>> {
  const { conv, cut, entries, former } = plan;
  const usage: SummaryUsage = { sum: undefined };
  const files = toldFiles(entries.slice(0, cut.at), former?.files);
  const { instructions } = order;
  const limit = (share: number) =>
    Math.max(1, Math.min(Math.floor(share * order.limits.reserveTokens), LARGEST_OUTPUT));

  const history = messagesOf(entries.slice(0, cut.turn));
  let text = former && proseOf(former);
  if (history.length > 0) {
    const job = { purpose: 'compaction', messages: history, former: text, instructions } as const;
    text = await summarize(ports, { ...job, maxTokens: limit(HISTORY_SHARE) }, usage);
  }
  const early = messagesOf(entries.slice(cut.turn, cut.at));
  let prefix: string | undefined;
  if (early.length > 0) {
    const job = { purpose: 'compaction_prefix', messages: early, former: undefined, instructions } as const;
    prefix = await summarize(ports, { ...job, maxTokens: limit(PREFIX_SHARE) }, usage);
  }

  const first = entries[cut.at];
  return {
    type: 'compaction',
    submissionId: order.submissionId,
    ...inConversation(conv),
    summary: composeSummary(text, prefix, files),
    firstKeptEntryId: first ? (entryId(state.incarnation, conv, first) ?? null) : null,
    tokensBefore: order.tokensBefore,
    files,
    reason: order.reason,
    ...(usage.sum && { usage: usage.sum }),
  };
}

const OPENING = 'Summary of the conversation up to here:\n\n';
const PREFIX_HEADING = '# The exchange in progress, up to the messages below';

function composeSummary(history: string | undefined, prefix: string | undefined, files: ToldFiles): string {
  const parts = [
    history,
    prefix && `${PREFIX_HEADING}\n\n${prefix}`,
    listOf('read-files', files.read),
    listOf('modified-files', files.modified),
  ];
  return OPENING + parts.filter((part) => part !== undefined).join('\n\n');
}

function listOf(tag: string, paths: readonly string[]): string | undefined {
  return paths.length > 0 ? `<${tag}>\n${paths.join('\n')}\n</${tag}>` : undefined;
}

/** What the models wrote of a former summary: the lists of files are composed anew from the record. */
function proseOf({ summary, files }: Compaction): string {
  const lists = [listOf('read-files', files.read), listOf('modified-files', files.modified)];
  const tail = lists.filter((list) => list !== undefined).join('\n\n');
  const prose = summary.startsWith(OPENING) ? summary.slice(OPENING.length) : summary;
  return tail !== '' && prose.endsWith(tail) ? prose.slice(0, -tail.length).trimEnd() : prose;
}
