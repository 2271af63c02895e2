import { init } from '../app/init.ts';
import { storedRecords, until } from '../app/runtime.test.support.ts';
import type { ConversationRecord, RecordOf, RecordType } from '../conversation/records/index.ts';
import { useModel } from '../engine/hooks/use-model.ts';
import { type ScriptModel, type ScriptStep, scriptModel } from '../testing/script-model.ts';

/* What the tests of compactions share: an agent that talks, a small window, and a model that also writes summaries. */

/** A window of 10,000 tokens, of which 1,000 are reserved. */
const SMALL = { contextWindow: 10_000, maxTokens: 1_000 };
export const keep = { reserveTokens: 1_000, keepRecentTokens: 0 };

export function Talker() {
  useModel('offline/script', { compaction: keep });
  return 'You talk.';
}

export const usage = (totalTokens: number) => ({ input: totalTokens, totalTokens });

type Answer = ScriptStep | ((place: number) => ScriptStep);

/** Answers requests of the agent in order, and requests for a summary by themselves. */
export function play(o: {
  readonly says: readonly Answer[];
  readonly summary?: Answer;
  readonly model?: object;
}): ScriptModel {
  let said = 0;
  let summaries = 0;
  const of = (answer: Answer, place: number) => (typeof answer === 'function' ? answer(place) : answer);
  return scriptModel({
    model: { ...SMALL, ...o.model },
    steps({ options }) {
      if (options.purpose === 'agent') return of(o.says[said] ?? { text: 'Enough.' }, said++);
      return of(o.summary ?? ((n) => ({ text: `Summary ${n}.`, usage: usage(70) })), summaries++);
    },
  });
}

export const talk = (text: string, id = 'a') => init(Talker, { id }).dispatch(text);
export const purposes = ({ requests }: ScriptModel) => requests.map(({ options }) => options.purpose);
export const textOf = (message: { readonly content: readonly object[] } | undefined) =>
  (message?.content ?? []).map((part) => ('text' in part ? String(part.text) : '')).join('');
export const ofType = <T extends RecordType>(records: ConversationRecord[], type: T) =>
  records.filter((record): record is RecordOf<T> => record.type === type);
export const recorded = async <T extends RecordType>(type: T, agent = 'Talker') =>
  ofType(await storedRecords(agent, 'a'), type);
export const failureOf = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: { cause: { type: string; meta: Record<string, unknown> } }) => error.cause,
  );
/** Resolves once every admission is settled. */
export const idle = () =>
  until(async () => {
    const records = await storedRecords('Talker', 'a');
    const admitted = records.filter((one) => 'acceptedAt' in one && one.acceptedAt !== undefined);
    return ofType(records, 'submission_settled').length === admitted.length;
  });
