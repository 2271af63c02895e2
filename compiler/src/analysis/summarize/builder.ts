import type ts from 'typescript';
import type { TypeScript } from '../host.ts';
import type {
  Binding,
  BindingId,
  Block,
  Call,
  DirectiveStatement,
  Export,
  Fn,
  FunctionId,
  ImportDeclaration,
  MemberAssignment,
  MemberRead,
  Op,
  Range,
  Value,
} from '../program.ts';
import type { Read } from '../reads-within.ts';

export interface Scope {
  readonly parent: Scope | undefined;
  readonly owner: FunctionId;
  readonly names: Map<string, BindingId>;
}

/** What one walk over a file fills, and where the walk stands: `out`, `scope` and `fn` change as it goes in and out. */
export interface Builder {
  readonly api: TypeScript;
  readonly file: ts.SourceFile;
  readonly usesVar: boolean;
  readonly bindings: Binding[];
  readonly functions: Fn[];
  readonly calls: Call[];
  readonly imports: ImportDeclaration[];
  readonly exports: Export[];
  readonly directives: DirectiveStatement[];
  readonly assignments: MemberAssignment[];
  readonly members: MemberRead[];
  /** functions that were declared without a body so far */
  readonly overloaded: Set<BindingId>;
  /** as they are met: an operand of an assignment is met after what is assigned */
  readonly references: Read[];
  out: Op[];
  scope: Scope;
  fn: FunctionId;
  /** greater than zero inside `try`, where accesses matter as places that may throw */
  tryDepth: number;
  /** cuts of the optional chain being lowered: everything after one runs only if its value is there */
  chain: { readonly at: number; readonly test: Value }[] | undefined;
  /** the statement being lowered, for fixes that remove or replace it */
  statement: Range;
  /** the expression that is a statement of the module itself, while it is lowered */
  topLevel: ts.Expression | undefined;
  /** what becomes of the values of these expressions, where something is known of it */
  readonly uses: Map<ts.Node, Call['use']>;
  /** expressions hold functions and functions hold statements: the way back up, so that no two files need each other */
  readonly enter: {
    readonly fn: (b: Builder, node: ts.FunctionLikeDeclaration, name: string | undefined) => FunctionId;
    readonly cls: (b: Builder, node: ts.ClassLikeDeclaration) => unknown;
    readonly statements: (b: Builder, statements: readonly ts.Statement[], of?: 'function') => void;
  };
}

/** To be named one by one in a value: spread into it they lie beside the object, which takes half as much room again. */
export function rangeOf(b: Builder, node: ts.Node): Range {
  return { start: node.getStart(b.file), end: node.end };
}

const NOTHING: Block = [];

/** Run `fill` with a fresh block and return what it emitted. */
export function collect(b: Builder, fill: () => void): Block {
  const outer = b.out;
  const block: Op[] = [];
  b.out = block;
  fill();
  b.out = outer;
  // Copied, so that it takes no more room than it fills: a list that grew has space for sixteen more.
  return block.length === 0 ? NOTHING : block.slice();
}

export function inScope<T>(b: Builder, run: () => T): T {
  const outer = b.scope;
  b.scope = { parent: outer, owner: b.fn, names: new Map() };
  const result = run();
  b.scope = outer;
  return result;
}

export function declare(b: Builder, name: ts.Identifier, kind: Binding['kind']): Binding {
  const known = b.scope.names.get(name.text);
  if (known !== undefined) {
    const binding = b.bindings[known]!;
    // A second `var` or an overload: one binding, and no longer one value.
    if (binding.kind !== 'function') binding.assigned = true;
    return binding;
  }
  const binding: Binding = {
    id: b.bindings.length,
    name: name.text,
    kind,
    range: rangeOf(b, name),
    owner: b.scope.owner,
    assigned: false,
    reads: 0,
  };
  b.bindings.push(binding);
  b.scope.names.set(name.text, binding.id);
  return binding;
}

export function lookup(b: Builder, name: string): Binding | undefined {
  for (let scope: Scope | undefined = b.scope; scope; scope = scope.parent) {
    const id = scope.names.get(name);
    if (id !== undefined) return b.bindings[id];
  }
  return undefined;
}

/** The binding that an identifier in value position reads. */
export function readName(b: Builder, node: ts.Identifier): Binding | undefined {
  const binding = lookup(b, node.text);
  if (binding) {
    binding.reads++;
    b.references.push({ offset: node.getStart(b.file), binding: binding.id });
    if (binding.owner !== b.fn && binding.owner !== 0)
      b.out.push({ op: 'read', binding: binding.id, range: rangeOf(b, node) });
  }
  return binding;
}
