import type { ConfiguredSeverity, TypeScript } from '@flue/compiler/analysis';
import { COMPUTED, readDefaultExport, type StaticValue } from './static-value.ts';

const SEVERITIES: ReadonlySet<unknown> = new Set(['off', 'hint', 'info', 'warn', 'error']);
const ENTRIES = ['app', 'db', 'cloudflare', 'setup'] as const;
type Entry = (typeof ENTRIES)[number];

/** What the editor needs of a Flue config, without running it (RULE-32). Paths are as written. */
export interface EditorConfig {
  readonly sourceRoot: string | undefined;
  readonly outDir: string | undefined;
  readonly entries: Readonly<Partial<Record<Entry, readonly string[]>>>;
  readonly rules: Readonly<Record<string, ConfiguredSeverity>>;
  readonly profile: 'strict' | 'default';
  /** fields that only running the config would tell; they count as not set */
  readonly computed: readonly string[];
}

/** Never throws: a field of the wrong type is for `flue check` to report (CFG-04) and counts as not set. */
export function readFlueConfig(api: TypeScript, text: string | undefined): EditorConfig {
  const computed: string[] = [];
  const known = (value: StaticValue | undefined, name: string) => {
    if (value !== COMPUTED) return value;
    computed.push(name);
    return undefined;
  };
  const field = (of: StaticValue | undefined, name: string, path = name) =>
    isObject(of) ? known(of[name], path) : undefined;

  const config = text === undefined ? {} : known(parse(api, text), 'everything');
  const check = field(config, 'check');
  const rules = field(check, 'rules', 'check.rules');
  const ruleNames = isObject(rules) ? Object.keys(rules) : [];
  const severities = ruleNames.map((name) => [name, field(rules, name, `check.rules.${name}`)] as const);
  const entries = ENTRIES.map((name) => [name, texts(field(config, name))] as const);
  return {
    sourceRoot: texts(field(config, 'sourceRoot'))?.[0],
    outDir: texts(field(field(config, 'generate'), 'outDir', 'generate.outDir'))?.[0],
    entries: Object.fromEntries(entries.filter(([, paths]) => paths !== undefined)),
    rules: Object.fromEntries(severities.filter(isSeverity)),
    profile: field(check, 'profile', 'check.profile') === 'strict' ? 'strict' : 'default',
    computed,
  };
}

function parse(api: TypeScript, text: string): StaticValue {
  const { Latest } = api.ScriptTarget;
  return readDefaultExport(api, api.createSourceFile('flue.config.ts', text, Latest));
}

function isObject(value: StaticValue | undefined): value is { readonly [key: string]: StaticValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isSeverity(
  entry: readonly [string, StaticValue | undefined],
): entry is readonly [string, ConfiguredSeverity] {
  return SEVERITIES.has(entry[1]);
}

function texts(value: StaticValue | undefined): readonly string[] | undefined {
  const list = [value].flat();
  return list.every((item) => typeof item === 'string') ? list : undefined;
}
