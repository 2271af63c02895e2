import type ts from 'typescript';
import type { AnalysisHost } from '../../analysis/host.ts';
import { type Declaration, declarationsOf, type Exports, exportsOf } from './declarations.ts';

/** What a name leads to, through imports and re-exports. `path` is the module in which the node stands. */
export type Named =
  | (Exclude<Declaration, { kind: 'import' }> & { readonly path: string; readonly name: string })
  | { readonly kind: 'expression'; readonly node: ts.Expression; readonly path: string }
  | { readonly kind: 'namespace'; readonly path: string }
  | { readonly kind: 'valibot'; readonly name: string }
  | { readonly kind: 'flue'; readonly name: string }
  | { readonly kind: 'package'; readonly specifier: string }
  | { readonly kind: 'parameter'; readonly fn: ts.SignatureDeclaration; readonly name: string }
  | { readonly kind: 'loop' }
  | { readonly kind: 'asset' }
  | { readonly kind: 'unresolved' }
  | { readonly kind: 'global'; readonly name: string };

export type TreeHost = AnalysisHost & { tree(path: string): ts.SourceFile | undefined };

export interface NameResolver {
  lookup(identifier: ts.Identifier, path: string): Named;
  exported(path: string, name: string): Named;
}

/** Lexical scope and module graph, from syntax alone: the type checker is never asked. */
export function createNameResolver(host: TreeHost): NameResolver {
  const api = host.ts;
  const scopes = new WeakMap<ts.Node, ReadonlyMap<string, Declaration>>();
  const tables = new WeakMap<ts.SourceFile, Exports>();
  return { lookup, exported: (path, name) => exported(path, name, new Set()) };

  function lookup(identifier: ts.Identifier, path: string): Named {
    const name = identifier.text;
    for (let at: ts.Node = identifier.parent; at; at = at.parent) {
      if (api.isFunctionLike(at)) {
        if (at.parameters.some((parameter) => binds(parameter.name, name))) {
          return { kind: 'parameter', fn: at, name };
        }
      } else if (api.isBlock(at) || api.isSourceFile(at) || api.isModuleBlock(at)) {
        const declared = namesOf(at).get(name);
        if (declared) return follow(declared, name, path, new Set());
      } else if (api.isForStatement(at) || api.isForOfStatement(at) || api.isForInStatement(at)) {
        const list = at.initializer;
        const isLoop = list !== undefined && api.isVariableDeclarationList(list);
        if (isLoop && list.declarations.some((each) => binds(each.name, name))) return { kind: 'loop' };
      }
    }
    return { kind: 'global', name };
  }

  function follow(declared: Declaration, name: string, path: string, seen: Set<string>): Named {
    if (declared.kind !== 'import') return { ...declared, path, name };
    return imported(declared.specifier, declared.name, path, seen);
  }

  function imported(specifier: string, name: string, fromPath: string, seen: Set<string>): Named {
    const target = host.resolve(specifier, fromPath);
    switch (target.kind) {
      case 'project':
        return name === '*' ? { kind: 'namespace', path: target.path } : exported(target.path, name, seen);
      case 'valibot':
      case 'flue':
        return { kind: target.kind, name };
      case 'package':
        return { kind: 'package', specifier: target.name };
      case 'asset':
      case 'unresolved':
        return { kind: target.kind };
    }
  }

  function exported(path: string, name: string, seen: Set<string>): Named {
    const file = host.tree(path);
    const key = `${path}\0${name}`;
    if (file === undefined || seen.has(key)) return { kind: 'unresolved' };
    seen.add(key);
    const { named, stars } = tableOf(file);
    const source = named.get(name);
    if (source?.kind === 'expression') return { kind: 'expression', node: source.node, path };
    if (source?.kind === 'from') return imported(source.specifier, source.name, path, seen);
    if (source?.kind === 'local') {
      const declared = namesOf(file).get(source.name);
      return declared ? follow(declared, source.name, path, seen) : { kind: 'unresolved' };
    }
    if (name === 'default') return { kind: 'unresolved' };
    const found = stars.map((specifier) => imported(specifier, name, path, seen));
    return found.find(({ kind }) => kind !== 'unresolved') ?? { kind: 'unresolved' };
  }

  function namesOf(node: ts.Block | ts.SourceFile | ts.ModuleBlock): ReadonlyMap<string, Declaration> {
    let names = scopes.get(node);
    if (names === undefined) {
      names = declarationsOf(api, node.statements);
      scopes.set(node, names);
    }
    return names;
  }

  function tableOf(file: ts.SourceFile): Exports {
    let table = tables.get(file);
    if (table === undefined) {
      table = exportsOf(api, file);
      tables.set(file, table);
    }
    return table;
  }

  function binds(pattern: ts.BindingName, name: string): boolean {
    if (api.isIdentifier(pattern)) return pattern.text === name;
    return pattern.elements.some((part) => api.isBindingElement(part) && binds(part.name, name));
  }
}
