import { fieldsOf } from '../../compose/fields.ts';
import type { Project } from '../../compose/project.ts';
import { sendsOf } from '../../compose/sends.ts';
import type { Term } from '../../compose/term.ts';
import type { Call, Module, Op } from '../../program.ts';
import { defineRule } from '../define-rule.ts';

/** A tool that waits for the response that waits for it. */
export default defineRule({
  code: 'FLUE4007',
  severity: 'error',
  tier: 'G',
  check(project, report) {
    for (const { kind, module, call, handle } of sendsOf(project)) {
      if (kind !== 'handle' || handle?.agent?.t !== 'function' || !handle.options) continue;
      const context = project.contexts.of(module, call.owner);
      if (context.kind !== 'outside' || context.where !== 'in a tool' || !isWaitedFor(module, call)) continue;
      const id = fieldsOf(project.linker.evaluator, handle.options).byName.get('id')?.term;
      if (!id || !isOwnId(project, handle.agent, id)) continue;
      report({
        module,
        range: call,
        message:
          'This send joins the response that is waiting for this tool, so neither can finish. Use harness.prompt().',
      });
    }
  },
});

/** `props.id` of the very agent that is sent to. */
function isOwnId(project: Project, agent: Term & { t: 'function' }, id: Term): boolean {
  if (id.t !== 'member' || id.name !== 'id' || id.object.t !== 'param') return false;
  const { module, fn, index } = id.object;
  const isAgent = project.whole.agents.some(
    (candidate) => candidate.module === agent.module && candidate.fn.id === agent.fn,
  );
  return isAgent && index === 0 && fn === agent.fn && module === agent.module;
}

function isWaitedFor(module: Module, call: Call): boolean {
  return call.use === 'awaited' || module.functions[call.owner]!.body.some((op) => returnsCall(op, call));
}

function returnsCall(op: Op, call: Call): boolean {
  switch (op.op) {
    case 'return':
      return op.value?.k === 'call' && op.value.call === call.id;
    case 'branch':
      return [...op.yes, ...op.no].some((inner) => returnsCall(inner, call));
    case 'loop':
    case 'labelled':
      return op.body.some((inner) => returnsCall(inner, call));
    case 'switch':
      return op.cases.some((clause) => clause.body.some((inner) => returnsCall(inner, call)));
    case 'try':
      return [op.body, op.handler ?? [], op.finalizer ?? []].flat().some((inner) => returnsCall(inner, call));
    default:
      return false;
  }
}
