import type {
  LogChunk,
  Chunk as RecordedChunk,
  FilePart as RecordedFile,
  ConversationMessage as RecordedMessage,
  ConversationSnapshot as RecordedSnapshot,
  TextOrReasoningPart,
} from '../../conversation/projections/chunk.ts';
import type { AgentContract } from './agent-contract.ts';

/*
 * Conversations and their changes as one agent's contract types them. The types describe the code that is deployed and
 * the wire the recorded past: nothing is checked against them at run time, so a part of another name is delivered as it
 * is and falls to the default branch of whoever looks (TCLI-12).
 */

interface Shape {
  input: unknown;
  output: unknown;
}

/** Tools of the framework and of the default sandbox. What they answer is text (NAME-01). */
interface BuiltinTools {
  read: { input: { path: string; offset?: number; limit?: number }; output: string };
  write: { input: { path: string; content: string }; output: string };
  edit: {
    input: { path: string; oldText: string; newText: string; replaceAll?: boolean };
    output: string;
  };
  bash: { input: { command: string; timeout?: number }; output: string };
  grep: {
    input: { pattern: string; path?: string; include?: string; literal?: boolean; ignoreCase?: boolean };
    output: string;
  };
  glob: { input: { pattern: string; path?: string }; output: string };
  task: {
    input: {
      agent: string;
      prompt: string;
      description?: string;
      cwd?: string;
      attachments?: { id: string }[];
    };
    output: string;
  };
  activate_skill: { input: { name: string }; output: string };
  read_skill_resource: { input: { path: string; offset?: number; limit?: number }; output: string };
}

/** A sandbox may bring its own tools, and then an agent's may have the name of a built-in one. */
type Tools<C extends AgentContract> = C['tools'] & Omit<BuiltinTools, keyof C['tools']>;

/** Names of tools that a conversation of the agent may show. */
export type ToolName<C extends AgentContract> = (keyof Tools<C> & string) | C['openTools'];
/** Names of data parts that an agent may write. */
export type DataName<C extends AgentContract> = keyof C['data'] & string;

type ShapeOf<C extends AgentContract, N> = N extends keyof Tools<C>
  ? Tools<C>[N] extends infer S extends Shape
    ? S
    : Shape
  : Shape;

type Arguments<T extends Shape> =
  | { inputValid: true; input: T['input'] }
  | { inputValid: false; input: unknown };

interface ToolHead<N> {
  type: 'dynamic-tool';
  toolName: N;
  toolCallId: string;
}

/** The parts of one tool: its arguments are typed where they passed its schema (TCLI-09). */
type NamedToolPart<N, T extends Shape = Shape> = ToolHead<N> &
  (
    | ({ state: 'input-available' } & Arguments<T>)
    | {
        state: 'output-available';
        inputValid: boolean;
        input: T['input'];
        output: T['output'];
        durationMs?: number;
      }
    | ({ state: 'output-error'; errorText: string; durationMs?: number } & Arguments<T>)
  );

/** One member for each tool, by its `toolName`; an open set adds one for all names that nobody can list (TCLI-10). */
export type ToolPart<C extends AgentContract, N extends ToolName<C> = ToolName<C>> = N extends unknown
  ? NamedToolPart<N, ShapeOf<C, N>>
  : never;

/** One per name and response; `data` is the latest write (HIST-07, TCLI-08). */
export type DataPart<C extends AgentContract, N extends DataName<C> = DataName<C>> = N extends unknown
  ? { type: `data-${N}`; data: C['data'][N]; writes: number }
  : never;

export interface FilePart extends RecordedFile {
  /** over HTTP: where its bytes are, without credentials (HIST-09) */
  url?: string;
}

export type ConversationPart<C extends AgentContract> =
  | TextOrReasoningPart
  | FilePart
  | ToolPart<C>
  | DataPart<C>;

export interface ConversationMessage<C extends AgentContract> extends Omit<RecordedMessage, 'parts'> {
  parts: ConversationPart<C>[];
}

export interface ConversationSnapshot<C extends AgentContract> extends Omit<RecordedSnapshot, 'messages'> {
  messages: ConversationMessage<C>[];
}

/** A recorded change, typed by the contract as far as it knows it (TCLI-11), or a line of log between two of them. */
export type Chunk<C extends AgentContract> =
  | LogChunk
  | Exclude<RecordedChunk, { type: ContractChunk }>
  | ToolChunk<C>
  | DataChunk<C>
  | (Recorded<'message-appended'> & { message: ConversationMessage<C> })
  | (Recorded<'conversation-reset'> & { snapshot: ConversationSnapshot<C> });

type ContractChunk = 'tool-input' | 'tool-output' | 'tool-output-error' | 'data-part' | MessageChunk;
type MessageChunk = 'message-appended' | 'conversation-reset';

type Recorded<T extends RecordedChunk['type']> = Omit<
  Extract<RecordedChunk, { type: T }>,
  'toolName' | 'input' | 'inputValid' | 'output' | 'name' | 'data' | 'message' | 'snapshot'
>;

type ToolChunk<C extends AgentContract, N extends ToolName<C> = ToolName<C>> = N extends unknown
  ? NamedToolChunk<N, ShapeOf<C, N>>
  : never;

type NamedToolChunk<N, T extends Shape> = { toolName: N } & (
  | (Recorded<'tool-input'> & Arguments<T>)
  | (Recorded<'tool-output'> & { output: T['output'] })
  | Recorded<'tool-output-error'>
);

type DataChunk<C extends AgentContract, N extends DataName<C> = DataName<C>> = N extends unknown
  ? Recorded<'data-part'> & { name: N; data: C['data'][N] }
  : never;

/** The part is a call of this tool. Narrows where `toolName` alone cannot: in an open set of tools (TCLI-10). */
export function isToolPart<P extends { type: string }, const N extends string>(
  part: P,
  name: N,
): part is CallOf<P, N> {
  return part.type === 'dynamic-tool' && 'toolName' in part && part.toolName === name;
}

/** The part holds what was written under this name (TCLI-10). */
export function isDataPart<P extends { type: string }, const N extends string>(
  part: P,
  name: N,
): part is DataOf<P, N> {
  return part.type === `data-${name}`;
}

type CallOf<P, N extends string> = [Extract<P, ToolHead<N>>] extends [never]
  ? P & NamedToolPart<N>
  : Extract<P, ToolHead<N>>;

type DataOf<P, N extends string> = [Extract<P, { type: `data-${N}` }>] extends [never]
  ? P & { type: `data-${N}`; data: unknown; writes: number }
  : Extract<P, { type: `data-${N}` }>;
