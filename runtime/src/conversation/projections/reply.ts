import type { JsonObject, JsonValue, PromptUsage } from '../../ports/model-shapes.ts';
import { mergeMetadata } from '../metadata.ts';
import type { AssistantMessage, ConversationRecord } from '../records/index.ts';

/** What a settled submission answered (HND-18). A joined one gets its host's, under its own id (HND-07). */
export interface AgentReply {
  /** final assistant text, `''` when there is none */
  text: string;
  /** every write by name, in order */
  data: Record<string, JsonValue[]>;
  metadata?: JsonObject;
  uid?: string;
  submissionId: string;
  /** the response's total, so replies of one response must not be summed (HND-20) */
  usage?: PromptUsage;
}

export type ReplyContent = Pick<AgentReply, 'text' | 'data' | 'metadata'>;

/** Folds the response of `host` out of the records between its input and its settlement; others are passed over. */
export function foldReply(host: string, records: Iterable<ConversationRecord | undefined>): ReplyContent {
  const data = new Map<string, JsonValue[]>();
  let metadata: JsonObject | undefined;
  let text = '';
  let interrupted = '';
  /** what the next message continues; a retry continues it again, so it stays until a message is complete (RCD-83) */
  let before = '';

  for (const record of records) {
    if (!record || record.conv !== undefined || record.submissionId !== host) continue;
    switch (record.type) {
      case 'assistant_message':
        if (record.stop === 'aborted') interrupted = before + textOf(record);
        else if (record.stop !== 'error') {
          text = before + textOf(record);
          before = '';
        }
        break;
      case 'signal':
        if (record.signalType === 'stream_continued') before = interrupted;
        break;
      case 'data_written':
        data.set(record.name, [...(data.get(record.name) ?? []), record.data]);
        break;
      case 'metadata_merged':
        metadata = mergeMetadata(metadata, record.metadata);
    }
  }
  return { text, data: Object.fromEntries(data), ...(metadata && { metadata }) };
}

function textOf({ content }: AssistantMessage): string {
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n');
}
