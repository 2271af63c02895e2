import { BUILTIN_TOOLS, RESERVED_TOOLS } from '../../../contract/names.ts';
import type { ModelTool } from '../../../ports/model-gateway.ts';
import { BACKTICKED, PATH } from './fill.ts';
import { plainSchema, type Schema } from './schema.ts';
import { wordsOf } from './words.ts';

/** Tools that bring a structured result home; they are chosen by result mode alone (OFF-06, OFF-12). */
export const RESULT_TOOLS: ReadonlySet<string> = new Set(['finish', 'give_up']);

/** Tools that the framework mounts, which an ordinary sentence must not reach by accident. */
const FRAMEWORK_TOOLS: ReadonlySet<string> = new Set([...BUILTIN_TOOLS, ...RESERVED_TOOLS]);

/** The best score of at least this wins (OFF-05). */
const LEAST_SCORE = 2;

/** The tool that a clause means, or `undefined`; ties go to the earlier one. */
export function chooseTool(clause: string, tools: readonly ModelTool[]): ModelTool | undefined {
  const said = wordsOf(clause);
  let best: ModelTool | undefined;
  let bestScore = LEAST_SCORE - 1;
  for (const tool of tools) {
    if (!competes(tool.name, clause)) continue;
    const score = scoreOf(tool, said);
    if (score > bestScore) [best, bestScore] = [tool, score];
  }
  return best;
}

function competes(name: string, clause: string): boolean {
  if (RESULT_TOOLS.has(name)) return false;
  if (!FRAMEWORK_TOOLS.has(name)) return true;
  const isNamed = new RegExp(`(?<![\\w-])${name}(?![\\w-])`, 'i').test(clause);
  return isNamed || clause.search(PATH) >= 0 || clause.search(BACKTICKED) >= 0;
}

/** Each distinct shared word: 3 in the name, 1 in the description, 1 in parameter names and enum members. */
function scoreOf(tool: ModelTool, said: ReadonlySet<string>): number {
  const shared = (text: string) => [...wordsOf(text)].filter((word) => said.has(word)).length;
  return (
    3 * shared(tool.name) +
    shared(tool.description) +
    shared(parameterWords(tool.parameters as Schema).join(' '))
  );
}

function parameterWords(schema: Schema): string[] {
  const plain = plainSchema(schema);
  return [
    ...(plain.enum ?? []).map(String),
    ...Object.entries(plain.properties ?? {}).flatMap(([name, property]) => [
      name,
      ...parameterWords(property),
    ]),
    ...(plain.items ? parameterWords(plain.items) : []),
  ];
}
