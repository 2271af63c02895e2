import { misuse } from '../../errors/flue-error.ts';
import type { ModelInfo, ModelMessage, ModelRequest, ModelTool } from '../../ports/model-gateway.ts';
import type { PromptUsage } from '../../ports/model-shapes.ts';

/** One scripted response. Content streams in the order thinking, text, tool calls (SCR-03). */
export interface ScriptStep {
  /** what the request must look like; any other request is a terminal error (SCR-08) */
  readonly when?: {
    /** contained in, or matched by, the newest user text */
    readonly user?: string | RegExp;
    /** a tool whose result the request answers */
    readonly tool?: string;
    /** identity of the agent that asks */
    readonly agent?: string;
    readonly purpose?: ModelRequest['purpose'];
  };
  readonly thinking?: string;
  /** a list gives the delta boundaries; a string is cut every 16 characters */
  readonly text?: string | readonly string[];
  /** string arguments stream as they are, JSON or not; anything else is serialized */
  readonly toolCalls?: readonly {
    readonly name: string;
    readonly arguments: unknown;
    readonly id?: string;
  }[];
  /** default: `toolUse` with calls, `stop` without */
  readonly stopReason?: 'stop' | 'length' | 'toolUse' | 'aborted';
  /**
   * ends the stream with a failure, after so many characters of the text; before any output by default (SCR-05). One that
   * is not transient and reads like a provider's refusal of a too long input is an overflow (OVER-01).
   */
  readonly error?: { readonly message?: string; readonly transient?: boolean; readonly afterChars?: number };
  /** milliseconds before the first event, between two deltas, and after the first delta (SCR-06) */
  readonly delayMs?: number;
  readonly chunkDelayMs?: number;
  readonly stallMs?: number;
  /** reported as given; what is absent is 0, absent costs follow `model.cost` (SCR-04) */
  readonly usage?: Partial<Omit<PromptUsage, 'cost'>> & { readonly cost?: Partial<PromptUsage['cost']> };
  readonly responseId?: string;
}

/** What a scripted model was asked (SCR-09). */
export interface ScriptRequest {
  readonly model: string;
  readonly systemPrompt: string;
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ModelTool[];
  readonly options: Pick<ModelRequest, 'thinkingLevel' | 'sessionId' | 'purpose' | 'agent' | 'maxTokens'>;
}

export type ScriptFunction = (request: ScriptRequest) => ScriptStep;

export interface ScriptDefinition {
  /** a queue, or a function that answers every request */
  readonly steps: readonly ScriptStep[] | ScriptFunction;
  /** what `offline/script` claims to be: limits, prices, abilities */
  readonly model?: Partial<Pick<ModelInfo, 'contextWindow' | 'maxTokens' | 'reasoning' | 'input' | 'cost'>>;
  /** `'conversation'` gives each conversation a cursor of its own (SCR-07) */
  readonly scope?: 'conversation';
  /** starts again with the first step when the last is used up */
  readonly loop?: boolean;
}

const DEFINITION_FIELDS = ['steps', 'model', 'scope', 'loop'];
const MODEL_FIELDS = ['contextWindow', 'maxTokens', 'reasoning', 'input', 'cost'];
const STOP_REASONS: readonly unknown[] = ['stop', 'length', 'toolUse', 'aborted'];
const PURPOSES: readonly unknown[] = ['agent', 'compaction', 'compaction_prefix'];

/** A definition out of what a call or a file gave: the object, the list of steps or the function (SCR-01). */
export function parseScript(value: unknown, where: string): ScriptDefinition {
  if (typeof value === 'function') return { steps: value as ScriptFunction };
  const definition = Array.isArray(value) ? { steps: value } : value;
  if (!isRecord(definition)) {
    throw misuse(`${where} must be a script object, a list of steps or a function, got ${typeof value}.`);
  }
  refuseUnknown(definition, DEFINITION_FIELDS, where);
  const { steps, model, scope, loop } = definition;
  if (!Array.isArray(steps) && typeof steps !== 'function') {
    throw misuse(`${where} needs \`steps\`, a list of steps or a function.`);
  }
  if (scope !== undefined && scope !== 'conversation') {
    throw misuse(`${where}: \`scope\` must be 'conversation' or absent.`);
  }
  if (loop !== undefined && typeof loop !== 'boolean') throw misuse(`${where}: \`loop\` must be a boolean.`);
  if (model !== undefined) {
    if (!isRecord(model)) throw misuse(`${where}: \`model\` must be an object.`);
    refuseUnknown(model, MODEL_FIELDS, `${where}, model`);
  }
  if (Array.isArray(steps)) {
    for (const [index, step] of steps.entries()) checkStep(step, `${where}, step ${index}`);
  }
  return definition as unknown as ScriptDefinition;
}

/** Fields and their checks: an invalid step fails the load with its index and field (SCR-01). */
const STEP_CHECKS: Record<string, (value: unknown) => string | undefined> = {
  when: (value) =>
    isRecord(value)
      ? (unknownField(value, ['user', 'tool', 'agent', 'purpose']) ??
        expect(
          isText(value.user) || value.user instanceof RegExp || value.user === undefined,
          'user must be text',
        ) ??
        expect(value.tool === undefined || isText(value.tool), 'tool must be a name') ??
        expect(value.agent === undefined || isText(value.agent), 'agent must be an identity') ??
        expect(
          value.purpose === undefined || PURPOSES.includes(value.purpose),
          `purpose must be one of ${PURPOSES.join(', ')}`,
        ))
      : 'must be an object',
  thinking: (value) => expect(isText(value), 'must be a string'),
  text: (value) => expect(isText(value) || isListOf(value, isText), 'must be a string or a list of strings'),
  toolCalls: (value) =>
    expect(
      isListOf(value, (call) => isRecord(call) && isText(call.name) && 'arguments' in call),
      'must be a list of { name, arguments, id? }',
    ),
  stopReason: (value) => expect(STOP_REASONS.includes(value), `must be one of ${STOP_REASONS.join(', ')}`),
  error: (value) =>
    isRecord(value)
      ? (unknownField(value, ['message', 'transient', 'afterChars']) ??
        expect(
          value.afterChars === undefined || isCount(value.afterChars),
          'afterChars must be a whole number',
        ))
      : 'must be an object',
  delayMs: (value) => expect(isCount(value), 'must be a whole number of milliseconds'),
  chunkDelayMs: (value) => expect(isCount(value), 'must be a whole number of milliseconds'),
  stallMs: (value) => expect(isCount(value), 'must be a whole number of milliseconds'),
  usage: (value) => expect(isRecord(value), 'must be an object'),
  responseId: (value) => expect(isText(value), 'must be a string'),
};

export function checkStep(step: unknown, where: string): void {
  if (!isRecord(step))
    throw misuse(`${where} must be an object, got ${step === null ? 'null' : typeof step}.`);
  refuseUnknown(step, Object.keys(STEP_CHECKS), where);
  for (const [field, value] of Object.entries(step)) {
    const fault = value === undefined ? undefined : STEP_CHECKS[field]!(value);
    if (fault) throw misuse(`${where}, field \`${field}\`: ${fault}.`);
  }
}

function refuseUnknown(value: Record<string, unknown>, known: readonly string[], where: string): void {
  const fault = unknownField(value, known);
  if (fault) throw misuse(`${where}: ${fault}. Fields: ${known.join(', ')}.`);
}

function unknownField(value: Record<string, unknown>, known: readonly string[]): string | undefined {
  const field = Object.keys(value).find((key) => !known.includes(key));
  return field === undefined ? undefined : `unknown field \`${field}\``;
}

function expect(holds: boolean, otherwise: string): string | undefined {
  return holds ? undefined : otherwise;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isCount(value: unknown): boolean {
  return Number.isInteger(value) && (value as number) >= 0;
}

function isListOf(value: unknown, holds: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(holds);
}
