import { compareCodeUnits, type ManifestSchemaSlot } from '@flue/runtime/internal';
import type { AgentFact, SchemaRef, Slot, ToolFact } from '../analysis/summary.ts';
import { printFields, printType, propertyName, union } from './client-type.ts';
import type { SchemaReader } from './schema-reader.ts';
import type { ToolResults } from './tool-results.ts';

/** What values look like as JSON: as a caller sends them, and as a reader gets them. */
export interface ContractSchemas {
  readonly input: SchemaReader;
  readonly output: Pick<SchemaReader, 'slot'>;
  /** what tools answer whose output has no schema */
  readonly results: ToolResults;
}

/**
 * The contract type of one agent, printed structurally, so that no module of the server is named (TCLI-02). What is
 * known only when the program runs is `unknown` (TCLI-13).
 */
export function printContract(agent: AgentFact, accessor: string, schemas: ContractSchemas): string {
  const declarations: string[] = [];
  const typeOf = (slot: ManifestSchemaSlot, role: string, indent: string) =>
    'dynamic' in slot ? 'unknown' : printRoot(slot.schema, `${accessor}${role}`, indent, declarations);

  const optional = (
    reader: Pick<SchemaReader, 'slot'>,
    ref: SchemaRef | null,
    role: string,
    indent: string,
  ) => (ref === null ? 'unknown' : typeOf(reader.slot(ref.span), role, indent));

  const initialData = (): string => {
    const ref = agent.statics.initialData;
    const type = optional(schemas.input, ref, 'InitialData', '  ');
    const mayBeAbsent = ref !== null && schemas.input.acceptsUndefined(ref.span) !== false;
    return mayBeAbsent ? union([type, 'undefined']) : type;
  };

  const data = named(agent.dataParts).map(([name, parts]) => {
    const types = parts.map((part) => optional(schemas.output, part.schema, `Data${pascal(name)}`, '    '));
    return [propertyName(name), union(types)] as const;
  });

  const tools = named(agent.tools.filter(({ mcp }) => mcp === undefined)).map(([name, variants]) => {
    const prefix = `${accessor}${pascal(name)}Output`;
    const outputs = variants.map((tool) =>
      tool.output === null
        ? schemas.results(tool, { prefix, texts: declarations })
        : typeOf(schemas.output.slot(tool.output.span), `${pascal(name)}Output`, '      '),
    );
    const fields = [
      [
        'input',
        union(variants.map((tool) => optional(schemas.input, tool.input, `${pascal(name)}Input`, '      '))),
      ],
      ['output', union(outputs)],
    ] as const;
    return [propertyName(name), printFields(fields, '    ')] as const;
  });

  const fields = printFields(
    [
      ['identity', JSON.stringify(agent.identity)],
      ['initialData', initialData()],
      ['hasSchema', String(agent.statics.initialData !== null)],
      ['data', printFields(data, '  ')],
      ['tools', printFields(tools, '  ')],
      ['openTools', openTools(agent)],
    ],
    '',
  );
  return [...declarations, `export interface ${accessor}Contract ${fields}\n`].join('\n');
}

/** A schema that refers to parts of itself gets a declaration for each of them (TCLI-13). */
function printRoot(
  schema: Readonly<Record<string, unknown>>,
  prefix: string,
  indent: string,
  declarations: string[],
): string {
  const parts = Object.entries((schema.$defs ?? {}) as Record<string, unknown>);
  const names = new Map(parts.map(([key], index) => [`#/$defs/${key}`, `${prefix}Part${index + 1}`]));
  const refName = (ref: string) => names.get(ref) ?? 'unknown';
  for (const [key, part] of parts) {
    declarations.push(`export type ${refName(`#/$defs/${key}`)} = ${printType(part, refName)};\n`);
  }
  return printType(schema, refName, indent);
}

/** By static name, ascending, so that moved code changes nothing (TCLI-16). */
function named<T extends { readonly name: Slot<string> }>(facts: readonly T[]): [string, T[]][] {
  const groups = new Map<string, T[]>();
  for (const fact of facts) {
    if (!fact.name.static) continue;
    groups.set(fact.name.value, [...(groups.get(fact.name.value) ?? []), fact]);
  }
  return [...groups].sort(([a], [b]) => compareCodeUnits(a, b));
}

/** Tools whose names the compiler cannot list: those of a server, and those that only a run shows (TCLI-10). */
function openTools({ tools, complete }: AgentFact): string {
  const isUnnamed = (tool: ToolFact) => tool.mcp === undefined && !tool.name.static;
  if (!complete || tools.some(isUnnamed)) return 'string & {}';
  return tools.some(({ mcp }) => mcp !== undefined) ? '`mcp__${string}`' : 'never';
}

function pascal(name: string): string {
  const words = name.split(/[^A-Za-z0-9]+/).filter((word) => word !== '');
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}
