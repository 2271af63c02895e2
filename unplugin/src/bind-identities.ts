import { findDirective } from '@flue/compiler/analysis';
import MagicString from 'magic-string';

/** One agent of a module: the binding that names it there, and the identity that its storage goes by. */
export interface BoundAgent {
  readonly local: string;
  readonly identity: string;
}

export interface BoundModule {
  readonly code: string;
  readonly map: ReturnType<MagicString['generateMap']>;
}

/**
 * Appends one call per agent that binds its function to its identity, as text that no minifier renames (BIND-01,
 * BIND-02). Authored text stays where it is: only the directive becomes spaces, since bundlers warn about one that they
 * do not know (BIND-05). `undefined` when the module is bound already (BIND-07).
 */
export function bindIdentities(
  code: string,
  agents: readonly BoundAgent[],
  file: string,
): BoundModule | undefined {
  const bound = callsIn(code);
  const missing = agents.filter(({ local, identity }) => !bound.has(callText(local, identity)));
  if (missing.length === 0) return undefined;
  const text = new MagicString(code);
  const directive = findDirective(code);
  if (directive) text.overwrite(directive.start, directive.end, ' '.repeat(directive.end - directive.start));
  const name = freeName(code);
  const calls = missing.map(({ local, identity }) => `${name}${callText(local, identity)};`);
  text.append(`\nimport { __flueBindAgentModule as ${name} } from '@flue/runtime';\n${calls.join('\n')}\n`);
  return {
    code: text.toString(),
    map: text.generateMap({ source: file, includeContent: true, hires: 'boundary' }),
  };
}

/** The calls that an earlier pass appended, each a line of its own after its import; not what only mentions one. */
function callsIn(code: string): ReadonlySet<string> {
  const calls = new Set<string>();
  const block =
    /^import \{ __flueBindAgentModule as (__flueBind\d+) \} from ['"]@flue\/runtime['"];\n((?:\1\(.+\);(?:\n|$))+)/gm;
  for (const [, name = '', lines = ''] of code.matchAll(block))
    for (const line of lines.trimEnd().split('\n')) calls.add(line.slice(name.length, -1));
  return calls;
}

function callText(local: string, identity: string): string {
  return `(${local}, { identity: ${JSON.stringify(identity)} })`;
}

/** `__flueBind` and the smallest number that makes it free in the module (BIND-03). */
function freeName(code: string): string {
  for (let n = 0; ; n++) if (!new RegExp(`\\b__flueBind${n}\\b`).test(code)) return `__flueBind${n}`;
}
