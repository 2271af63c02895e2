import * as v from 'valibot';
import type { ToolContent } from '../tools/tool-content.ts';
import type { ToolDefinition } from '../tools/tool-definition.ts';

/** What a `task` call asks for (TASK-01). */
export interface Task {
  /** id of the call */
  readonly call: string;
  /** name of the delegate */
  readonly agent: string;
  readonly prompt: string;
  /** where the delegate starts, in the environment that it shares (CWD-04) */
  readonly cwd: string | undefined;
  /** ids of images that the conversation shows */
  readonly attachments: readonly string[];
}

const text = v.pipe(v.string(), v.nonEmpty());
const TASK = v.strictObject({
  agent: v.pipe(text, v.description('Name of an available agent.')),
  prompt: v.pipe(
    text,
    v.description(
      'The whole task. The agent sees nothing of this conversation: say all that it has to know.',
    ),
  ),
  attachments: v.optional(
    v.pipe(
      v.array(v.strictObject({ id: text })),
      v.description(
        'Images of this conversation that the agent is to see, by the ids that stand behind them.',
      ),
    ),
  ),
  cwd: v.optional(
    v.pipe(text, v.description('The directory in which the agent starts; default the working directory.')),
  ),
  description: v.optional(v.pipe(v.string(), v.description('The task in a few words, for whoever watches.'))),
});

/**
 * The framework's tool by which a model delegates; mounted whether or not anybody is there to do the work (NAME-01), and
 * silent about who is, so that a change of the roster never rewrites the tools block (NAME-05).
 */
export function taskTool(perform: (task: Task) => Promise<ToolContent>): ToolDefinition {
  const tool: ToolDefinition<typeof TASK> = {
    name: 'task',
    description:
      'Hands a self-contained task to another agent and returns its final answer. Several tasks in one message run at ' +
      'the same time.',
    input: TASK,
    run: ({ data: { agent, prompt, cwd, attachments = [] }, toolCallId }) =>
      perform({ call: toolCallId, agent, prompt, cwd, attachments: attachments.map(({ id }) => id) }),
  };
  return tool;
}
