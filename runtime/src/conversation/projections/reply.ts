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
  const reply = new ReplyFold(host);
  for (const record of records) if (record) reply.take(record);
  return reply.content();
}

/** The same, record after record. */
export class ReplyFold {
  readonly #host: string;
  readonly #data = new Map<string, JsonValue[]>();
  #metadata: JsonObject | undefined;
  #text = '';
  #interrupted = '';
  /** what the next message continues; a retry continues it again, so it stays until a message is complete (RCD-83) */
  #before = '';

  constructor(host: string) {
    this.#host = host;
  }

  take(record: ConversationRecord): void {
    if (record.conv !== undefined || record.submissionId !== this.#host) return;
    switch (record.type) {
      case 'assistant_message':
        if (record.stop === 'aborted') this.#interrupted = this.#before + textOf(record);
        else if (record.stop !== 'error') {
          this.#text = this.#before + textOf(record);
          this.#before = '';
        }
        break;
      case 'signal':
        if (record.signalType === 'stream_continued') this.#before = this.#interrupted;
        break;
      case 'data_written':
        this.#data.set(record.name, [...(this.#data.get(record.name) ?? []), record.data]);
        break;
      case 'metadata_merged':
        this.#metadata = mergeMetadata(this.#metadata, record.metadata);
    }
  }

  /** Shares its values with the records. */
  content(): ReplyContent {
    const metadata = this.#metadata;
    return { text: this.#text, data: Object.fromEntries(this.#data), ...(metadata && { metadata }) };
  }
}

function textOf({ content }: AssistantMessage): string {
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n');
}
