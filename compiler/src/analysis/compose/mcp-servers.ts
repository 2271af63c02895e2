import { compareText } from '../diagnostic.ts';
import { spanOf } from '../position.ts';
import type { AgentFact, McpServerFact, SubagentFact, ToolFact } from '../summary.ts';
import type { Evaluator } from './evaluate.ts';
import type { Project } from './project.ts';
import { textSlot } from './slots.ts';
import type { Term } from './term.ts';

/** Every `connectMcpServer` call, with who mounts its tools (MAN-01), in source order. */
export function describeMcpServers(project: Project, agents: readonly AgentFact[]): McpServerFact[] {
  const { evaluator } = project.linker;
  const mounting = mountingAgents(agents);
  return project.apiCalls
    .filter(({ name }) => name === 'connectMcpServer')
    .map(({ module, call }) => {
      const [name, options] = evaluator.argumentsOf(module, call, new Map());
      const span = spanOf(module, call);
      const url = options && evaluator.member(options, 'url');
      return {
        name: textSlot(name, span),
        url: textSlot(url && withoutSecrets(addressOf(evaluator, url)), span),
        agents: [...(mounting.get(`${module.path}#${call.start}`) ?? [])].sort(compareText),
        span,
      };
    })
    .sort((a, b) => compareText(a.span.path, b.span.path) || a.span.start - b.span.start);
}

/** Identities by the call that connects. */
function mountingAgents(agents: readonly AgentFact[]): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  const visit = (
    identity: string,
    frame: { tools: readonly ToolFact[]; subagents: readonly SubagentFact[] },
  ) => {
    for (const { mcp } of frame.tools) {
      if (!mcp) continue;
      const key = `${mcp.connection.path}#${mcp.connection.start}`;
      found.set(key, (found.get(key) ?? new Set<string>()).add(identity));
    }
    for (const delegate of frame.subagents) visit(identity, delegate);
  };
  for (const agent of agents) visit(agent.identity, agent);
  return found;
}

/** `new URL('…')` is the address that it is made from. */
function addressOf(evaluator: Evaluator, url: Term): Term {
  if (url.t !== 'call' || !url.call.isNew || url.call.args.length !== 1) return url;
  const { callee, module, call, env } = url;
  const isUrl = callee.t === 'external' && callee.source === 'globalThis' && callee.name === 'URL';
  return (isUrl && evaluator.argumentsOf(module, call, env)[0]) || url;
}

/** User info and query may hold a credential, which is never written (MAN-11). */
function withoutSecrets(url: Term): Term {
  if (url.t !== 'literal' || typeof url.value !== 'string') return url;
  return {
    t: 'literal',
    value: url.value.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i, '$1').replace(/[?#].*$/s, ''),
  };
}
