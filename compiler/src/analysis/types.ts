import type ts from 'typescript';
import type { AnalysisHost, TypeScript } from './host.ts';
import { nodeAt } from './node-at.ts';
import type { Module, Range } from './program.ts';

/** What the type checker knows of places in modules (tier T). */
export interface Types {
  readonly api: TypeScript;
  readonly checker: ts.TypeChecker;
  /** the expression or function that is written there, with the casts around it */
  nodeOf(module: Module, range: Range): ts.Node | undefined;
  /** what a call of this function gives once it is awaited */
  resultOf(node: ts.Node): ts.Type | undefined;
  /** what a Valibot schema takes or gives */
  schemaSide(schema: ts.Node, side: 'input' | 'output'): ts.Type | undefined;
}

/**
 * Types of the host, for some modules: those that a rule has questions about, all at once, since a host may have to build
 * its program anew for each. `undefined` when there are none to be had (RULE-02, RULE-07).
 */
export type OpenTypes = (modules: Iterable<Module>) => Types | undefined;

export function createTypes(host: AnalysisHost): OpenTypes | undefined {
  if (!host.sourceFile || !host.checker) return undefined;
  return (modules) => {
    const checked = [...new Set(modules)].filter(({ path }) => isTypeChecked(host, path));
    if (checked.length === 0) return undefined;
    for (const { path } of checked) host.sourceFile?.(path);
    const checker = host.checker?.();
    if (!checker || !hasAll(host, checker)) return undefined;
    return { ...typesOf(host.ts, checker), nodeOf: (module, range) => findNode(host, module, range) };
  };
}

/** Documented members that the oldest supported TypeScript may lack. */
const NEEDED = ['getAwaitedType', 'isTypeAssignableTo', 'isArrayType', 'isTupleType'] as const;
/** Told once in the life of a host process, however many projects and looks it has (RULE-02). */
const told = new WeakSet<TypeScript>();

function hasAll({ ts: api, log }: AnalysisHost, checker: Partial<ts.TypeChecker>): boolean {
  const missing = NEEDED.filter((name) => checker[name] === undefined);
  if (missing.length === 0) return true;
  if (!told.has(api)) {
    told.add(api);
    log?.(`TypeScript ${api.version} has no ${missing.join(', ')}: what needs types is not checked.`);
  }
  return false;
}

/** JavaScript has types only where the project asks for them (RULE-12). */
function isTypeChecked(host: AnalysisHost, path: string): boolean {
  return !/\.[cm]?jsx?$/.test(path) || host.typeChecks?.(path) === true;
}

function findNode(host: AnalysisHost, module: Module, range: Range): ts.Node | undefined {
  if (!isTypeChecked(host, module.path)) return undefined;
  const file = host.sourceFile?.(module.path);
  const node = file && nodeAt(host.ts, file, range);
  return node && asWritten(host.ts, node);
}

/** With the casts around it: those are the author's word on what the value is (RULE-17). */
function asWritten(api: TypeScript, node: ts.Node): ts.Node {
  const { parent } = node;
  const isWrapped =
    api.isAsExpression(parent) ||
    api.isSatisfiesExpression(parent) ||
    api.isTypeAssertionExpression(parent) ||
    api.isNonNullExpression(parent) ||
    api.isParenthesizedExpression(parent);
  return isWrapped && parent.expression === node ? asWritten(api, parent) : node;
}

function typesOf(api: TypeScript, checker: ts.TypeChecker): Omit<Types, 'nodeOf'> {
  const signatureOf = (node: ts.Node): ts.Signature | undefined =>
    api.isFunctionLike(node)
      ? checker.getSignatureFromDeclaration(node as ts.SignatureDeclaration)
      : checker.getTypeAtLocation(node).getCallSignatures()[0];
  return {
    api,
    checker,
    resultOf(node) {
      const signature = signatureOf(node);
      return signature && checker.getAwaitedType(signature.getReturnType());
    },
    schemaSide(schema, side) {
      const types = checker.getTypeAtLocation(schema).getProperty('~types');
      const sides = types && checker.getNonNullableType(checker.getTypeOfSymbolAtLocation(types, schema));
      const found = sides?.getProperty(side);
      return found && checker.getTypeOfSymbolAtLocation(found, schema);
    },
  };
}
