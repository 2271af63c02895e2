import * as v from 'valibot';
import { LIMITS } from '../../contract/limits.ts';
import type { CallSettled } from '../../conversation/records/index.ts';
import { isObjectSchema } from '../schema.ts';
import { ToolInputValidationError, type ToolIssue, toolIssues } from '../tools/errors.ts';
import { toolInputJsonSchema } from '../tools/json-schema.ts';
import { ToolContent } from '../tools/tool-content.ts';
import type { MountedTool, ToolDefinition } from '../tools/tool-definition.ts';

/** What a prompt that asks for data came to. */
export type ResultEnd =
  | { readonly kind: 'data'; readonly data: unknown }
  | { readonly kind: 'unavailable'; readonly reason: string; readonly issues?: readonly ToolIssue[] };

/** The way to a structured result: the two tools that end it, and what a model that stops without either is told. */
export interface ResultCourse {
  readonly tools: readonly MountedTool[];
  /** `undefined` while the work goes on */
  readonly end: () => ResultEnd | undefined;
  isDone(outcomes: readonly CallSettled[]): boolean;
  goOnWith(): string | undefined;
}

const GIVE_UP = v.strictObject({
  reason: v.pipe(v.string(), v.trim(), v.nonEmpty(), v.description('Why there can be no result.')),
});

/** The first call of either tool that is accepted wins (RES-05). */
export function resultCourse(schema: v.GenericSchema): ResultCourse {
  const { input, unwrap } = argumentsOf(schema);
  let end: ResultEnd | undefined;
  let issues: readonly ToolIssue[] | undefined;
  let followUps = 0;
  let rejections = 0;

  const assertOpen = () => {
    if (end)
      throw new Error('The task has ended already: an earlier call of "finish" or "give_up" was taken.');
  };
  const exhausted = (reason: string): void => {
    end ??= { kind: 'unavailable', reason, ...(issues && { issues }) };
  };
  const finish: Omit<MountedTool, 'run'> & { run(context: { readonly data?: unknown }): ToolContent } = {
    name: 'finish',
    description: 'Ends the task with its result. Call it once, when the work is done, with the whole result.',
    jsonSchema: toolInputJsonSchema(input),
    run({ data }) {
      assertOpen();
      issues = undefined;
      const parsed = v.safeParse(input, data);
      if (!parsed.success) {
        issues = toolIssues(parsed.issues);
        throw new ToolInputValidationError({ tool: 'finish', issues });
      }
      end = { kind: 'data', data: unwrap(parsed.output) };
      return ToolContent.text('The result was taken.');
    },
  };
  const giveUp: ToolDefinition<typeof GIVE_UP> = {
    name: 'give_up',
    description: 'Ends the task without a result. Call it only when the result cannot be had.',
    input: GIVE_UP,
    run({ data: { reason } }) {
      assertOpen();
      end = { kind: 'unavailable', reason };
      return ToolContent.text('The task has ended without a result.');
    },
  };

  return {
    tools: [finish as MountedTool, giveUp as MountedTool],
    end: () => end,
    isDone(outcomes) {
      if (end) return true;
      for (const { tool, status } of outcomes) if (tool === 'finish' && status === 'error') rejections += 1;
      if (rejections >= LIMITS.resultRejections)
        exhausted(`${rejections} calls of "finish" did not fit the schema.`);
      return end !== undefined;
    },
    goOnWith() {
      if (followUps >= LIMITS.resultFollowUps) {
        exhausted(`the model stopped ${followUps + 1} times without calling "finish" or "give_up".`);
        return undefined;
      }
      followUps += 1;
      return (
        'You stopped without a result. Call `finish` with the whole result now, or `give_up` with the reason if it ' +
        'cannot be had.'
      );
    },
  };
}

/** Arguments are an object, so any other result travels in one (RES-02). */
function argumentsOf(schema: v.GenericSchema): {
  readonly input: v.GenericSchema;
  readonly unwrap: (parsed: unknown) => unknown;
} {
  if (isObjectSchema(schema)) return { input: schema, unwrap: (parsed) => parsed };
  return {
    input: v.object({ result: schema }),
    unwrap: (parsed) => (parsed as { readonly result?: unknown }).result,
  };
}
