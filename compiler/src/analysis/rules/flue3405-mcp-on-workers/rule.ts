import { isTestFile, type Project } from '../../compose/project.ts';
import { calledApi, type Term } from '../../compose/term.ts';
import { type Call, type Module, type Range, TOP_LEVEL } from '../../program.ts';
import { defineRule } from '../define-rule.ts';

interface Use {
  readonly module: Module;
  readonly range: Range;
  readonly what: string;
  readonly connection: Call;
}

/** Module scope of a Worker runs before the first event, when nothing can connect (CF-605). */
export default defineRule({
  code: 'FLUE3405',
  severity: 'error',
  tier: 'G',
  check(project, report, { layout }) {
    if (project.settings.target !== 'cloudflare') return;
    // The discovered database entry stays out of the Worker (CF-103).
    const inWorker = project.modules.filter(({ path }) => path !== layout?.db?.path && !isTestFile(path));
    const uses = inWorker.flatMap((module) => usesAtTopLevel(project, module));
    for (const { module, range, what } of uses) {
      report({ module, range, message: `Workers connect on first use: read ${what} inside a function.` });
    }
    const misused = new Set(uses.map(({ connection }) => connection));
    for (const { module, call, name } of project.apiCalls) {
      if (name !== 'connectMcpServer' || call.owner !== TOP_LEVEL || misused.has(call)) continue;
      if (!inWorker.includes(module)) continue;
      const message = 'This connects on first use on Workers.';
      report({ module, range: call, message, severity: 'info' });
    }
  },
});

/** Where a module asks a connection for what it does not have yet. */
function usesAtTopLevel(project: Project, module: Module): Use[] {
  const { evaluator } = project.linker;
  const uses: Use[] = [];
  const add = (connection: Term, range: Range, what: string) => {
    if (connection.t === 'call' && calledApi(connection) === 'connectMcpServer')
      uses.push({ module, range, what, connection: connection.call });
  };
  for (const { object, name, owner, start, end } of module.members) {
    if (owner === TOP_LEVEL && name === 'tools')
      add(evaluator.evaluate(module, object), { start, end }, '.tools');
  }
  for (const call of module.calls) {
    if (call.owner !== TOP_LEVEL || call.callee.k !== 'member' || call.callee.name !== 'close') continue;
    add(evaluator.evaluate(module, call.callee.object), call, '.close()');
  }
  for (const { owner, init, path, range } of module.bindings) {
    if (owner === TOP_LEVEL && init && path?.[0] === 'tools')
      add(evaluator.evaluate(module, init), range, '.tools');
  }
  return uses;
}
