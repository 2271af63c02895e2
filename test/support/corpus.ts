/** What the corpus of the performance targets (section 10 of the manifest's contract) is varied by. */
export interface CorpusOptions {
  /** agent modules; as many tool modules and custom-hook modules come with them. Default 1,000 */
  readonly agents?: number;
  /** Default 1: the corpus that measurements of different days compare */
  readonly seed?: number;
  /** tools declare what they return; without it a result is known by its type alone (PERF-03). Default true */
  readonly outputSchemas?: boolean;
  /** so many of the agents use one more hook, which they share (PERF-06). Default none */
  readonly sharing?: number;
}

/**
 * P1000: agents with a data writer, two conditional or looped hooks, an inline tool and one custom hook of another module
 * each, some 150 syntax nodes a file, and nothing that a rule objects to. Project path to text; equal options give equal
 * texts.
 */
export function corpus({
  agents = 1000,
  seed = 1,
  outputSchemas = true,
  sharing = 0,
}: CorpusOptions = {}): Record<string, string> {
  const next = randomNumbers(seed);
  const files: Record<string, string> = {};
  for (let i = 0; i < agents; i++) {
    const word = WORDS[next(WORDS.length)]!;
    files[`src/tools/tool-${i}.ts`] = toolModule(i, word, next, outputSchemas);
    files[`src/hooks/use-${i}.ts`] = hookModule(i, word, next);
    const agent = agentModule(i, word, next, outputSchemas);
    files[`src/agents/agent-${i}.ts`] = i < sharing ? withSharedHook(agent) : agent;
  }
  if (sharing > 0) files['src/hooks/use-shared.ts'] = SHARED_HOOK;
  return files;
}

const WORDS = ['order', 'ticket', 'invoice', 'refund', 'parcel', 'booking', 'claim', 'report'] as const;
const MODELS = ['anthropic/claude-haiku-4-5', 'openai/gpt-5', 'openai/gpt-5-mini'] as const;

type Draw = (below: number) => number;

/** Mulberry32: small, and the same numbers on every machine. */
export function randomNumbers(seed: number): Draw {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

function toolModule(i: number, word: string, next: Draw, outputSchemas: boolean): string {
  return `import { defineTool } from '@flue/runtime';
import * as v from 'valibot';

const limit = ${next(90) + 10};

function normalise(text: string): string {
  const trimmed = text.trim().toLowerCase();
  return trimmed.slice(0, limit);
}

export const tool${i} = defineTool({
  name: 'find_${word}_${i}',
  description: 'Finds one ${word} by its number.',
  input: v.object({ id: v.string(), first: v.optional(v.number()) }),
${outputSchemas ? '  output: v.object({ id: v.string(), lines: v.array(v.string()) }),\n' : ''}  async run({ data }) {
    const id = normalise(data.id);
    const lines: string[] = [];
    for (let n = 0; n < (data.first ?? ${next(5) + 1}); n++) {
      lines.push(\`\${id}: line \${n} of ${word}\`);
    }
    return { id, lines };
  },
});
`;
}

function hookModule(i: number, word: string, next: Draw): string {
  return `import { useInstruction, usePersistentState, useTool } from '@flue/runtime';
import { tool${i} } from '../tools/tool-${i}.ts';

const steps = ['read the ${word}', 'compare it', 'answer'];

function describeSteps(title: string): string {
  return [title, ...steps].join('\\n');
}

export function use${capital(word)}${i}(title: string) {
  const [seen, setSeen] = usePersistentState<number>('seen-${i}', ${next(3)});
  useTool(tool${i});
  useTool({
    name: 'note_${word}_${i}',
    description: 'Counts a ${word}.',
    run() {
      setSeen((before) => before + 1);
      return { noted: true };
    },
  });
  useInstruction(describeSteps(title));
  return seen;
}
`;
}

function agentModule(i: number, word: string, next: Draw, outputSchemas: boolean): string {
  const name = `${capital(word)}Desk${i}`;
  const hook = `use${capital(word)}${i}`;
  const second =
    next(2) === 0
      ? `  for (const line of ['short', 'polite']) useInstruction(\`Be \${line}.\`);`
      : `  if (seen > ${next(9) + 1}) useInstruction('Many ${word}s were seen; be brief.');
  else useInstruction('Take your time.');`;
  return `'use agent';
import { useDataWriter, useInitialData, useInstruction, useModel, useTool } from '@flue/runtime';
import * as v from 'valibot';
import { ${hook} } from '../hooks/use-${i}.ts';
import { tool${i} } from '../tools/tool-${i}.ts';

export function ${name}(props: { id: string }) {
  useModel('${MODELS[next(MODELS.length)]}');
  const { region } = useInitialData<{ region: string }>();
  const write = useDataWriter('card-${i}');
  const seen = ${hook}('The ${word} desk');
  if (region === 'eu' && seen > 0) useTool({ ...tool${i}, name: 'again_${i}' });
${second}
  useTool({
    name: 'close_${word}',
    description: 'Closes the ${word} and shows it.',
    input: v.object({ reason: v.pipe(v.string(), v.minLength(${next(4) + 1})) }),
${outputSchemas ? '    output: v.object({ closed: v.string() }),\n' : ''}    async run({ data }) {
      write({ title: data.reason, region });
      return { closed: \`\${props.id}: \${data.reason}\` };
    },
  });
  return \`You answer questions about ${word} \${props.id} in \${region}.\`;
}
${name}.initialData = v.object({ region: v.string() });
`;
}

const SHARED_HOOK = `import { useInstruction } from '@flue/runtime';

export function useShared() {
  useInstruction('You belong to one desk among many.');
}
`;

function withSharedHook(agent: string): string {
  return agent
    .replace('import * as v', "import { useShared } from '../hooks/use-shared.ts';\nimport * as v")
    .replace('  const { region }', '  useShared();\n  const { region }');
}

function capital(word: string): string {
  return word[0]!.toUpperCase() + word.slice(1);
}
