import type {
  Fault,
  JsonObject,
  JsonValue,
  ModelRef,
  PromptUsage,
  Resources,
  Stop,
} from '../../ports/model-shapes.ts';
import type {
  AcceptedRecord,
  AssistantMessage,
  CallSettled,
  Compaction,
  ConversationRecord,
  ResourcesRecorded,
  RootOpened,
  Signal,
  StateWritten,
  StepRecorded,
  UserMessage,
} from '../records/index.ts';

/**
 * What the records of one instance say, taken together (section 5). One slice per field; each is advanced by the file
 * of its name and by nothing else.
 *
 * I1  Conversations are named by their ordinal; `ROOT` is the root's.
 * I2  A body may be missing only after a checkpoint was loaded; `missingBodies` says where to read it.
 * I3  Every change goes through a `Journal`, so that a batch which turns out illegal leaves no trace.
 */
export interface Conversation {
  readonly incarnation: string;
  birth: Birth | undefined;
  readonly conversations: Conversations;
  /** model context, one window per open conversation */
  readonly windows: Map<number, Window>;
  readonly queue: Queue;
  /** of the submission that runs or ran last and is not settled */
  response: Response | undefined;
  /** the message that the root is drafting */
  open: OpenMessage | undefined;
  /** per conversation, the calls of its last message while one of them is unsettled */
  readonly toolBatches: Map<number, ToolBatch>;
  /** what `usePersistentState` reads: committed values by name */
  readonly values: Map<string, JsonValue>;
  /** what `useDelivery` returns (DLV-01) */
  cursor: Held<UserMessage | Signal> | undefined;
  resources: ResourcesState | undefined;
  readonly tail: Tail;
}

export const ROOT = 0;

/** A record by its place. Without its body after a checkpoint was loaded, until the body is filled in. */
export interface Held<R extends ConversationRecord = ConversationRecord> {
  /** the offset's second component */
  batch: number;
  readonly index: number;
  record: R | undefined;
}

export interface Birth {
  readonly uid: string;
  /** holds `initialData` */
  readonly held: Held<RootOpened>;
}

export interface Conversations {
  /** how many children were ever opened: the ordinal of the last one */
  opened: number;
  /** the open ones by ordinal */
  readonly children: Map<number, Child>;
}

export interface Child {
  readonly conv: number;
  readonly kind: 'task' | 'harness';
  readonly parent: number;
  readonly opener: { readonly call: string } | { readonly hook: string };
  /** the delegate of a task */
  readonly agent: string | undefined;
}

export interface Window {
  /** ids of the calls of its entries: a new call takes another one (RCD-16) */
  callIds: Set<string>;
  /** the compaction that it starts after */
  summary: Held<Compaction> | undefined;
  entries: Entry[];
  /** the last model call; in the root that of the response, so it starts anew with each */
  turn: number;
  /** failed turns in a row (RETRY-02): since a delivery, an append or a turn that did not fail */
  failedTurns: number;
  /** overflows in a row without a completed turn between (OVER-03) */
  overflows: number;
}

/** One message of a window, in the order in which the model reads them. */
export type Entry = MessageEntry | AssistantEntry | ResultEntry;

export interface MessageEntry {
  readonly kind: 'user' | 'signal';
  /** set when a delivery brought it, whose id it then has (RCD-03) */
  readonly delivery: string | undefined;
  readonly held: Held<UserMessage | Signal>;
  /** estimated (CMP-05); `undefined` until somebody asks */
  tokens: number | undefined;
}

export interface AssistantEntry {
  readonly kind: 'assistant';
  readonly turn: number;
  /** the submission of whose response it is part, which names it in the root (RCD-03) */
  readonly host: string;
  readonly stop: Stop;
  readonly fault: Fault['class'] | undefined;
  /** it has text or thinking that was shown, so an aborted one can be continued */
  readonly shown: boolean;
  /** aborted, and continued by what follows (RCD-83) */
  kept: boolean;
  readonly calls: readonly string[];
  /** what the provider reported for the whole request and answer (CMP-05) */
  readonly reported: number | undefined;
  readonly held: Held<AssistantMessage>;
  tokens: number | undefined;
}

export interface ResultEntry {
  readonly kind: 'result';
  readonly call: string;
  readonly held: Held<CallSettled>;
  tokens: number | undefined;
}

export interface Queue {
  /** the unsettled admissions in accepted order */
  pending: readonly Pending[];
  /** how many are settled: their rows are the record of them */
  settled: number;
}

export interface Pending {
  readonly submissionId: string;
  /** a request to compact is no delivery (RCD-45) */
  readonly kind: 'delivery' | 'compact';
  /** what a delivery becomes in the model's context */
  readonly message: 'user' | 'signal' | undefined;
  readonly acceptedAt: string;
  state: 'queued' | 'running' | 'joined';
  /** whose response it joined */
  host: string | undefined;
  /** the model has it in its context */
  placed: boolean;
  startSeamClosed: boolean;
  readonly held: Held<AcceptedRecord>;
}

export interface Response {
  readonly host: string;
  readonly kind: Pending['kind'];
  /** of the last `running`; 0 after a release */
  epoch: number;
  attempt: number;
  /** the next free place among the response's parts (RCD-15) */
  nextPart: number;
  /** data parts by name: their place */
  readonly data: Map<string, number>;
  metadata: JsonObject | undefined;
  /** finish cycles recorded */
  cycles: number;
  /** model calls that neither failed nor were aborted */
  completedSteps: number;
  /** why nothing has to follow, if nothing has (RCD-67) */
  final: 'stopped' | 'terminated' | undefined;
  /** FIN-04, in record order */
  readonly calls: { readonly tool: string; readonly isError: boolean }[];
  /** sum over every record with the host's id (HND-20); `undefined` while none reported any */
  usage: PromptUsage | undefined;
  /** the messages whose joined texts are the answer so far: the last one, after those it continues (RCD-83) */
  answer: readonly Held<AssistantMessage>[];
  /** the next message continues the last one of `answer` */
  continuing: boolean;
  /** TURN-18 */
  failingCall: FailingCall | undefined;
}

/** The same call failing the same way, this often in a row. */
export interface FailingCall {
  readonly tool: string;
  readonly args: string;
  readonly failure: string;
  readonly count: number;
}

export interface OpenMessage {
  readonly turn: number;
  readonly host: string;
  readonly model: ModelRef;
  readonly blocks: Block[];
  /** the batches that drafted it */
  readonly drafts: number[];
  /** not all drafts could be read again, so what was shown is unknown */
  partial: boolean;
}

export interface Block {
  readonly part: number;
  readonly kind: 'text' | 'thinking';
  text: string;
}

export interface ToolBatch {
  readonly conv: number;
  readonly turn: number;
  readonly message: Held<AssistantMessage>;
  /** in call order */
  readonly calls: readonly ToolCall[];
}

export interface ToolCall {
  readonly id: string;
  readonly tool: string;
  outcome: Held<CallSettled> | undefined;
  /** recorded steps by name (STEP-01) */
  readonly steps: Map<string, Held<StepRecorded>>;
  /** state writes that wait for the batch's commit */
  readonly writes: Held<StateWritten>[];
}

export interface ResourcesState {
  /** what the model was last told */
  last: Resources;
  /** the record that holds the system prompt's text and the snapshot it was composed from */
  baseline: Held<ResourcesRecorded>;
}

export interface Tail {
  /** the last batch folded or prepared; 0 before the first */
  head: number;
  /** drafts that a completed message made redundant (STR-09) */
  reclaimable: readonly number[];
  /** since the last checkpoint (CKP-03) */
  batches: number;
  /** length of the serialized records */
  bytes: number;
  /** the last batch is the owner's own, folded and not yet committed (see `prepare`) */
  prepared: boolean;
  /** a batch that a loaded checkpoint already holds, while batches before it are still to be folded */
  included: number | undefined;
}

export function emptyConversation(incarnation: string): Conversation {
  return {
    incarnation,
    birth: undefined,
    conversations: { opened: 0, children: new Map() },
    windows: new Map([[ROOT, emptyWindow()]]),
    queue: { pending: [], settled: 0 },
    response: undefined,
    open: undefined,
    toolBatches: new Map(),
    values: new Map(),
    cursor: undefined,
    resources: undefined,
    tail: { head: 0, reclaimable: [], batches: 0, bytes: 0, prepared: false, included: undefined },
  };
}

export function emptyWindow(): Window {
  return { callIds: new Set(), summary: undefined, entries: [], turn: 0, failedTurns: 0, overflows: 0 };
}
