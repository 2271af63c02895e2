import { dirname, posix } from 'node:path';
import type ts from 'typescript';
import { declarationsOf } from './evaluate/declarations.ts';
import type { NameResolver, TreeHost } from './evaluate/resolve-name.ts';

/** An application's entry, read for the one application that it exports. */
export interface EntryApplication {
  /** Whether a value is the exported application: a chain of calls is what it starts from. */
  isApplication(value: ts.Expression): boolean;
  /** Whether a call is of the generated routes' `mountAgents`, which returns the application it is given. */
  isMountAgents(call: ts.CallExpression): boolean;
}

export function readEntryApplication(
  file: ts.SourceFile,
  { app, folder, host }: { readonly app: string; readonly folder: string; readonly host: TreeHost },
  { lookup }: NameResolver,
): EntryApplication {
  const api = host.ts;
  const declared = declarationsOf(api, file.statements);
  const exported = file.statements.find(
    (each): each is ts.ExportAssignment => api.isExportAssignment(each) && !each.isExportEquals,
  );
  const value = exported?.expression;
  const named = value && api.isIdentifier(value) ? declared.get(value.text) : undefined;
  const variable = named?.kind === 'variable' ? named.node : undefined;
  const made = variable ? variable.initializer : value;
  // What somebody else made, or what has a base path, serves its mounts at other paths than those written here.
  const isMoved = !made || !api.isNewExpression(startOf(made)) || hasBasePath(made);

  function isMountAgents({ expression }: ts.CallExpression): boolean {
    if (!api.isIdentifier(expression)) return false;
    const from = declared.get(expression.text);
    if (from?.kind !== 'import' || from.name !== 'mountAgents') return false;
    const path = posix.join(dirname(app), from.specifier);
    return path.replace(/\.[cm]?[jt]s$/, '') === `${folder}/routes`;
  }

  /** What a link of a chain is called on or given; `undefined` for its first one. */
  function before(link: ts.Expression): ts.Expression | undefined {
    if (api.isPropertyAccessExpression(link)) return link.expression;
    if (!api.isCallExpression(link)) return undefined;
    return isMountAgents(link) ? link.arguments[0] : link.expression;
  }

  function startOf(link: ts.Expression): ts.Expression {
    const previous = before(link);
    return previous ? startOf(previous) : link;
  }

  function hasBasePath(link: ts.Expression): boolean {
    if (api.isPropertyAccessExpression(link) && link.name.text === 'basePath') return true;
    const previous = before(link);
    return previous !== undefined && hasBasePath(previous);
  }

  /** Whether the chain that goes on from a link is what the entry exports or declares the exported name with. */
  function endsAsExport(link: ts.Expression): boolean {
    const { parent } = link;
    if (parent === variable || parent === exported) return true;
    return api.isExpression(parent) && before(parent) === link && endsAsExport(parent);
  }

  return {
    isMountAgents,
    isApplication(link) {
      if (isMoved || hasBasePath(link)) return false;
      const start = startOf(link);
      if (!api.isIdentifier(start)) return endsAsExport(link);
      const found = lookup(start, app);
      return found.kind === 'variable' && found.node === variable;
    },
  };
}
