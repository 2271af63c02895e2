import type { ModelMessage, ModelRequest, ModelTool } from '../../../ports/model-gateway.ts';
import type { CallPart } from '../../../ports/model-shapes.ts';
import { askFor, describeResult, describeTools } from './answer.ts';
import { chooseTool, RESULT_TOOLS } from './choose-tool.ts';
import { clausesOf } from './clause.ts';
import { type Exchange, newestExchange } from './exchange.ts';
import { type Filled, fillParameters } from './fill.ts';
import type { Schema } from './schema.ts';
import { wordsOf } from './words.ts';

/** What a reply starts with until the conversation holds one (OFF-02). */
export const BANNER = '[offline demo: no language model is connected; replies come from keyword matching]';

export type Decision =
  | { readonly kind: 'call'; readonly tool: string; readonly values: Record<string, unknown> }
  | { readonly kind: 'say'; readonly text: string };

interface Plan {
  readonly clause: string;
  readonly tool: ModelTool | undefined;
  readonly filled: Filled;
}

/** What the demo model does next, from the transcript and the tools alone (OFF-03). */
export function decide(request: ModelRequest): Decision {
  if (request.purpose !== 'agent') return { kind: 'say', text: summaryOf(request.summarized ?? []) };

  const exchange = newestExchange(request.messages);
  const plans = clausesOf(exchange.message).map((clause) => planOf(clause, request.tools));
  const next = plans.slice(handledBy(exchange.calls, plans)).find(isCallable);
  if (next) return { kind: 'call', tool: next.tool.name, values: next.filled.values };
  if (isResultMode(request.tools)) return bringHome(exchange, request.tools);

  const text = answer(exchange, plans, request.tools);
  return { kind: 'say', text: exchange.isFirstReply ? `${BANNER}\n\n${text}` : text };
}

function planOf(clause: string, tools: readonly ModelTool[]): Plan {
  const tool = chooseTool(clause, tools);
  const filled = tool ? fillParameters(tool.parameters as Schema, clause) : { values: {}, missing: [] };
  return { clause, tool, filled };
}

function isCallable(plan: Plan): plan is Plan & { readonly tool: ModelTool } {
  return plan.tool !== undefined && plan.filled.missing.length === 0;
}

/**
 * How many clauses the calls so far have used up. Tools come and go between turns, so a call is matched to the next clause
 * that plans it now; a call whose tool is gone belongs to the next clause that shares a word with its name.
 */
function handledBy(calls: readonly CallPart[], plans: readonly Plan[]): number {
  let handled = 0;
  for (const call of calls) {
    if (RESULT_TOOLS.has(call.tool)) continue;
    const rest = plans.slice(handled);
    const name = wordsOf(call.tool);
    const planned = rest.findIndex((plan) => plan.tool?.name === call.tool);
    const named = rest.findIndex((plan) => [...wordsOf(plan.clause)].some((word) => name.has(word)));
    handled += (planned >= 0 ? planned : Math.max(named, 0)) + 1;
  }
  return handled;
}

function answer(exchange: Exchange, plans: readonly Plan[], tools: readonly ModelTool[]): string {
  const parts = exchange.results.map(describeResult);
  for (const plan of plans) {
    if (plan.tool && plan.filled.missing.length > 0) parts.push(askFor(plan.tool, plan.filled.missing));
  }
  return parts.length > 0 ? parts.join('\n\n') : describeTools(tools);
}

function isResultMode(tools: readonly ModelTool[]): boolean {
  return [...RESULT_TOOLS].every((name) => tools.some((tool) => tool.name === name));
}

/** A structured result out of the newest tool result and the message, or the names it lacks (OFF-12). */
function bringHome(exchange: Exchange, tools: readonly ModelTool[]): Decision {
  const schema = tools.find((tool) => tool.name === 'finish')!.parameters as Schema;
  const results = exchange.results.filter((result) => !RESULT_TOOLS.has(result.tool));
  const newest = results.at(-1);
  const { values, missing } = fillParameters(
    schema,
    [newest && describeResult(newest), exchange.message].filter(Boolean).join('\n'),
  );
  const refused = exchange.results.findLast((result) => result.tool === 'finish' && result.isError);
  if (missing.length === 0 && !refused) return { kind: 'call', tool: 'finish', values };
  const reason = refused
    ? describeResult(refused)
    : `Neither the message nor a tool result says: ${missing.map(({ name }) => name).join(', ')}.`;
  return { kind: 'call', tool: 'give_up', values: { reason } };
}

/** The start of each user message, and the tools called (OFF-13). */
function summaryOf(messages: readonly ModelMessage[]): string {
  const said = messages.flatMap((message) =>
    message.role === 'user'
      ? [
          message.content
            .flatMap((part) => (part.type === 'text' ? [part.text] : []))
            .join('\n')
            .slice(0, 200),
        ]
      : [],
  );
  const called = new Set(
    messages.flatMap((message) =>
      message.role === 'assistant'
        ? message.content.flatMap((part) => (part.type === 'call' ? [part.tool] : []))
        : [],
    ),
  );
  return [...said, `Tools called: ${called.size > 0 ? [...called].join(', ') : 'none'}`].join('\n');
}
