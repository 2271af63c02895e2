import { LIMITS } from '../../contract/limits.ts';
import type { DeliveredMessage } from '../../conversation/delivered-message.ts';
import { bodyOf } from '../../conversation/fold/calls.ts';
import { resumableCalls, unresumedCalls } from '../../conversation/fold/converge.ts';
import { answerText, windowOf } from '../../conversation/fold/queries.ts';
import { type AssistantEntry, ROOT } from '../../conversation/fold/state.ts';
import { childrenOfCall, depth } from '../../conversation/fold/tree.ts';
import type { CallPart } from '../../ports/model-shapes.ts';
import type { AttachmentRef } from '../../ports/store.ts';
import { goOn, takeTurns } from '../child-turns.ts';
import { resolveCompaction } from '../compaction/resolve-compaction.ts';
import { OperationFailedError } from '../errors.ts';
import type { HarnessFrame } from '../harness/held-harness.ts';
import { openHarness } from '../harness/open-harness.ts';
import type { ModelChoice } from '../hooks/frame.ts';
import { imagesOf } from '../model-context.ts';
import { type RenderedFrame, renderFrame } from '../render.ts';
import { assertNoClash } from '../sandbox/environment-tools.ts';
import { skillTools } from '../skills/skill-tools.ts';
import { composePrompt } from '../system-prompt.ts';
import { runTools } from '../tool-calls.ts';
import { CallUnresolved } from '../tools/run-call.ts';
import { ToolContent } from '../tools/tool-content.ts';
import type { ConversationScope } from '../turn-scope.ts';
import { AttachmentNotAvailableError, DelegationDepthExceededError } from './errors.ts';
import type { SubagentDefinition } from './subagent-definition.ts';
import { type Task, taskTool } from './task-tool.ts';

/**
 * A task: a delegate's conversation below the call that asked for it.
 *
 * D1  Nothing is recorded before the delegate can start: depth, model and render come first (DEPTH-03).
 * D2  Whatever happened is in the child's records, so that the next attempt goes on where this one was cut (TSK-02).
 * D3  Where the attempt has to stop, the call stays unresolved, and the settlement or the next attempt closes it.
 */

type Roster = readonly SubagentDefinition[];

/**
 * A render as a model call offers it. The tools stand in serialized order: those of the environment, the framework's,
 * then the agent's in call order (TURN-15).
 *
 * @throws ToolNameConflictError where the agent's tools and the environment's share a name (NAME-04)
 */
export function equip(scope: ConversationScope, frame: RenderedFrame): HarnessFrame {
  const { workspace } = scope;
  const skills = workspace.skillsWith(frame.skills);
  const environment = workspace.tools({ skills, subagents: frame.subagents });
  assertNoClash(environment, frame.tools);
  const framework = [startingTaskTool(scope, frame.subagents), ...skillTools(skills)];
  return { ...withHarness(scope, frame), skills, tools: [...environment, ...framework, ...frame.tools] };
}

/** A render whose hooks and tools get a harness of this conversation (HARN-05). */
export function withHarness(scope: ConversationScope, frame: RenderedFrame): HarnessFrame {
  return { openHarness: (owner) => openHarness({ parent: scope, owner, frame, equip }), ...frame };
}

/** The `task` tool of a render: it resolves names against that render's delegates (NARR-09). */
function startingTaskTool(parent: ConversationScope, roster: Roster) {
  return taskTool(async (task) => {
    const definition = roster.find((candidate) => candidate.name === task.agent);
    if (!definition) return ToolContent.text(unknownAgent(task.agent, roster));
    return answered(await startTask(parent, definition, task));
  });
}

function unknownAgent(name: string, roster: Roster): string {
  return `There is no agent "${name}". Available agents: ${roster.map((agent) => agent.name).join(', ') || '(none)'}.`;
}

function answered(text: string): ToolContent {
  return ToolContent.text(text || '(task completed with no text)');
}

async function startTask(
  parent: ConversationScope,
  definition: SubagentDefinition,
  task: Task,
): Promise<string> {
  if (depth(parent.sink.state, parent.conv) >= LIMITS.delegationDepth)
    throw new DelegationDepthExceededError();
  const attachments = attachmentsOf(parent, task);
  const delegate = await prepareDelegate(parent, definition, task);
  goOn(parent);
  let conv = ROOT;
  await parent.sink.write((batch) => {
    conv = parent.sink.state.conversations.opened + 1;
    batch.add([
      {
        type: 'conversation_opened',
        submissionId: parent.host,
        conv,
        kind: 'task',
        ...(parent.conv !== ROOT && { parent: parent.conv }),
        call: task.call,
        agent: definition.name,
      },
      {
        type: 'user_message',
        submissionId: parent.host,
        conv,
        body: task.prompt,
        ...(attachments.length > 0 && { attachments }),
      },
    ]);
  });
  const [scope, frame] = delegate.in(conv);
  return traced(parent, task, conv, () => takeTurns(scope, frame));
}

/** Tools whose interrupted calls are executed again (STEP-08). */
export function isDurableIn({ tools }: Pick<RenderedFrame, 'tools'>): (tool: string) => boolean {
  const durable = new Set(tools.filter((tool) => tool.durable).map((tool) => tool.name));
  return (tool) => durable.has(tool);
}

/**
 * Takes up the calls that an interruption left open in a conversation, all at once: tasks go on, and calls of durable
 * tools are executed again (TSK-02, TSK-05, DTL-01). The deepest ones end first: a child settles its own open calls
 * before its next turn.
 */
export async function resumeCalls(parent: ConversationScope, offered: RenderedFrame): Promise<void> {
  const { state } = parent.sink;
  const batch = state.toolBatches.get(parent.conv);
  if (!batch) return;
  const open = new Set(resumableCalls(state, parent.conv, isDurableIn(offered)).map((call) => call.id));
  const { content, stop } = bodyOf(batch.message);
  const calls = content.filter((part): part is CallPart => part.type === 'call' && open.has(part.id));
  const tools = [taskTool((task) => resumeTask(parent, offered.subagents, task)), ...offered.tools];
  await runTools(parent, { ...withHarness(parent, offered), tools }, { turn: batch.turn, stop }, calls);
}

async function resumeTask(parent: ConversationScope, roster: Roster, task: Task): Promise<ToolContent> {
  const child = childrenOfCall(parent.sink.state, parent.conv, task.call)[0];
  if (!child) throw new CallUnresolved();
  const { conv } = child;
  const last = lastAnswer(parent, conv);
  // Complete already, so it owes nothing to what is declared now (TSK-03).
  if (last && isFinal(last)) return answered(answerText(bodyOf(last.held)));
  const definition = roster.find((candidate) => candidate.name === task.agent);
  if (!definition) throw new Error(unavailable(task.agent));
  if (last?.fault === 'terminal') throw failedBefore(definition.name);
  const delegate = await prepareDelegate(parent, definition, task);
  const [scope, frame] = delegate.in(conv);
  const { offered } = delegate;
  goOn(scope);
  await scope.sink.write((batch) => batch.add(unresumedCalls(scope.sink.state, conv, isDurableIn(offered))));
  const text = await traced(parent, task, conv, async () => {
    await resumeCalls(scope, offered);
    return takeTurns(scope, frame);
  });
  return answered(text);
}

function traced(
  { trace, sink }: ConversationScope,
  { call, agent, prompt }: Task,
  conv: number,
  work: () => Promise<string>,
): Promise<string> {
  return trace.task(sink.state, { conv, call, agent, prompt }, work);
}

/** CLS-08: an error result that the model can tell from others. */
function unavailable(agent: string): string {
  const message = `The agent "${agent}" is not available any more, so its interrupted task cannot be resumed.`;
  return JSON.stringify({ type: 'subagent_unavailable', message });
}

/** The failure itself was logged by the process that met it. */
function failedBefore(agent: string): OperationFailedError {
  const reason = 'the model call failed in a way that no repetition heals.';
  return new OperationFailedError({
    operation: 'turn',
    reason,
    category: 'provider',
    retryable: false,
    agent,
  });
}

/** The model's last message, if nothing came after it. */
function lastAnswer({ sink }: ConversationScope, conv: number): AssistantEntry | undefined {
  const last = windowOf(sink.state, conv).entries.at(-1);
  return last?.kind === 'assistant' ? last : undefined;
}

function isFinal({ stop, calls }: AssistantEntry): boolean {
  return calls.length === 0 && stop !== 'error' && stop !== 'aborted';
}

/** Renders the delegate, once per task and once per resume, and resolves its model (DELEG-02, DELEG-04). */
async function prepareDelegate(parent: ConversationScope, definition: SubagentDefinition, task: Task) {
  const models = await modelsOf(parent, definition);
  const rendered = renderFrame({
    agent: definition.agent,
    kind: 'subagent',
    name: definition.name,
    inputs: { ...NO_INPUTS, delivery: deliveryOf(parent, task) },
  });
  const workspace = await parent.workspace.forTask(task.cwd);
  const skills = workspace.skillsWith(rendered.skills);
  const prompt = composePrompt({ ...rendered, skills, workspace, now: parent.clock.now() });
  return {
    offered: rendered,
    in(conv: number): [ConversationScope, HarnessFrame] {
      const scope: ConversationScope = {
        ...parent,
        identity: definition.name,
        conv,
        prompt,
        ...models,
        workspace,
        // A delegate's conversation has no readers (STRM-09).
        emitProgress: parent.emitLog,
      };
      return [scope, equip(scope, rendered)];
    },
  };
}

/** Images that the model sees in the conversation from which it delegates (TASK-06). */
function attachmentsOf({ sink, conv }: ConversationScope, { attachments }: Task): AttachmentRef[] {
  const visible = imagesOf(windowOf(sink.state, conv).entries);
  return attachments.map((id) => {
    const ref = visible.find((candidate) => candidate.id === id);
    if (!ref) throw new AttachmentNotAvailableError(id);
    return ref;
  });
}

/** DLV-05. */
function deliveryOf(parent: ConversationScope, task: Task): DeliveredMessage {
  const attachments = attachmentsOf(parent, task).map((ref) => ({
    type: 'image' as const,
    data: parent.attachment(ref),
    mimeType: ref.mimeType,
    ...(ref.filename !== undefined && { filename: ref.filename }),
  }));
  return { kind: 'user', body: task.prompt, ...(attachments.length > 0 && { attachments }) };
}

const NO_INPUTS = {
  initialData: undefined,
  readState: () => ({ found: false, value: undefined }),
  writeState: () => {},
  writeData: () => {},
  dispatch: () => Promise.reject(new Error('[flue] a delegate sends no messages.')),
};

/** The definition's own choices, else those of the conversation that delegates (DELEG-03, DELEG-06, THINK-02). */
async function modelsOf(
  { model, gateway }: ConversationScope,
  definition: SubagentDefinition,
): Promise<Pick<ConversationScope, 'model' | 'compaction'>> {
  const choice: ModelChoice = {
    specifier: definition.model ?? model.choice.specifier,
    thinkingLevel: definition.thinkingLevel ?? model.choice.thinkingLevel,
    compaction: definition.compaction ?? model.choice.compaction,
  };
  const info = definition.model === undefined ? model.info : await gateway.resolve(choice.specifier);
  return { model: { choice, info }, compaction: await resolveCompaction(gateway, choice, info) };
}
