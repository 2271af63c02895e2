import type { ManifestMount } from '@flue/runtime/internal';
import type ts from 'typescript';
import type { AgentFact } from '../analysis/summary.ts';
import { accessorNames } from './accessors.ts';
import { readEntryApplication } from './entry-application.ts';
import { createNameResolver, type Named, type TreeHost } from './evaluate/resolve-name.ts';

export interface MountContext {
  /** the application's entry, by project path */
  readonly app: string;
  /** the generated folder: `mountAgents` comes from its routes */
  readonly folder: string;
  readonly host: TreeHost;
}

/**
 * Mounts that the application's entry makes whenever it is loaded, on the very application that it exports: `route()`
 * with a router, and `mountAgents()`. Anything less certain is left out, since clients go by these paths (TRTE-05).
 */
export function staticMounts(
  agents: readonly AgentFact[],
  context: MountContext,
): ReadonlyMap<AgentFact, ManifestMount[]> {
  const mounts = new Map<AgentFact, ManifestMount[]>();
  const file = context.host.tree(context.app);
  if (file === undefined) return mounts;
  const entry = readEntry(file, agents, context);
  for (const call of topLevelCalls(context.host.ts, file)) {
    for (const { agent, path, authorized } of entry.mountsOf(call)) {
      const mount = { path, module: context.app, span: spanOf(file, call), authorized };
      mounts.set(agent, [...(mounts.get(agent) ?? []), mount]);
    }
  }
  return mounts;
}

interface Mounted {
  readonly agent: AgentFact;
  readonly path: string;
  /** `null`: whatever stands before the mount decides */
  readonly authorized: boolean | null;
}

function readEntry(file: ts.SourceFile, agents: readonly AgentFact[], { app, folder, host }: MountContext) {
  const api = host.ts;
  const resolver = createNameResolver(host);
  const { lookup } = resolver;
  const { isApplication, isMountAgents } = readEntryApplication(file, { app, folder, host }, resolver);
  const byAccessor = new Map([...accessorNames(agents)].map(([agent, accessor]) => [accessor, agent]));

  function agentOf(value: ts.Expression | undefined): AgentFact | undefined {
    if (value === undefined || !api.isIdentifier(value)) return undefined;
    const found: Named = lookup(value, app);
    if (!('path' in found) || found.kind === 'namespace') return undefined;
    return agents.find((agent) => {
      if (agent.module !== found.path) return false;
      return found.kind === 'expression' ? agent.export === 'default' : agent.function === found.name;
    });
  }

  function routed(call: ts.CallExpression): Mounted[] {
    const {
      expression,
      arguments: [place, router],
    } = call;
    if (!api.isPropertyAccessExpression(expression) || expression.name.text !== 'route') return [];
    if (!place || !router || !api.isCallExpression(router) || !api.isIdentifier(router.expression)) return [];
    const factory = lookup(router.expression, app);
    if (factory.kind !== 'flue' || factory.name !== 'createAgentRouter') return [];
    const path = pathOf(place);
    const agent = agentOf(router.arguments[0]);
    if (path === undefined || !agent || !isApplication(expression.expression)) return [];
    return [{ agent, path, authorized: null }];
  }

  function mountedAll(call: ts.CallExpression): Mounted[] {
    const [target, mounts] = call.arguments;
    if (!isMountAgents(call) || !target || !mounts || !api.isObjectLiteralExpression(mounts)) return [];
    if (!isApplication(target)) return [];
    return mounts.properties.flatMap((property) => {
      if (!api.isPropertyAssignment(property) || api.isComputedPropertyName(property.name)) return [];
      const agent = byAccessor.get(property.name.text);
      const { path, authorized } = placeOf(property.initializer);
      return agent && path !== undefined ? [{ agent, path, authorized }] : [];
    });
  }

  function placeOf(value: ts.Expression): { path: string | undefined; authorized: boolean | null } {
    if (!api.isObjectLiteralExpression(value)) return { path: pathOf(value), authorized: null };
    const fields = new Map(
      value.properties.flatMap((each) =>
        each.name && api.isIdentifier(each.name) ? [[each.name.text, each]] : [],
      ),
    );
    const path = fields.get('path');
    return {
      path: path && api.isPropertyAssignment(path) ? pathOf(path.initializer) : undefined,
      authorized: fields.has('authorize') ? true : fields.has('public') ? false : null,
    };
  }

  /** One that a client can write down: nothing in it stands for something else. */
  function pathOf(value: ts.Expression): string | undefined {
    if (!api.isStringLiteralLike(value)) return undefined;
    return /^\/[^:*?#{}]*$/.test(value.text) ? value.text : undefined;
  }

  return { mountsOf: (call: ts.CallExpression) => [...routed(call), ...mountedAll(call)] };
}

/** Calls that run whenever the module is evaluated, in source order: none in a function, a branch or a loop. */
function topLevelCalls(api: typeof ts, file: ts.SourceFile): ts.CallExpression[] {
  const { AmpersandAmpersandToken, BarBarToken, QuestionQuestionToken } = api.SyntaxKind;
  const logical: readonly ts.SyntaxKind[] = [AmpersandAmpersandToken, BarBarToken, QuestionQuestionToken];
  const isLogical = (node: ts.Node) =>
    api.isBinaryExpression(node) && logical.includes(node.operatorToken.kind);
  const calls: ts.CallExpression[] = [];
  const visit = (node: ts.Node): void => {
    if (api.isFunctionLike(node) || api.isConditionalExpression(node) || isLogical(node)) return;
    api.forEachChild(node, visit);
    if (api.isCallExpression(node)) calls.push(node);
  };
  for (const statement of file.statements) {
    const runs =
      api.isExpressionStatement(statement) ||
      api.isVariableStatement(statement) ||
      api.isExportAssignment(statement);
    if (runs) visit(statement);
  }
  return calls;
}

function spanOf(file: ts.SourceFile, node: ts.Node): ManifestMount['span'] {
  const start = file.getLineAndCharacterOfPosition(node.getStart(file));
  const end = file.getLineAndCharacterOfPosition(node.end);
  return {
    line: start.line + 1,
    column: start.character + 1,
    endLine: end.line + 1,
    endColumn: end.character + 1,
  };
}
