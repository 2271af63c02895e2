import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { loadProject, openCompiler } from '@flue/compiler';

/*
 * Checks projects whose agents have bodies of many paths, and as many agents with bodies of the same statements that call
 * a plain function where those call a hook. Processor time, since what it compares takes little of it.
 */
const [folder, rounds, branchCount] = [process.argv[2] as string, ...process.argv.slice(3).map(Number)] as [
  string,
  number,
  number,
];

const MODULE = (body: string, helpers = '') => `'use agent';
import { useInstruction, useModel } from '@flue/runtime';
const note = (text: string) => text;
export function Agent(props: { id: string }) {
  useModel('offline/demo');
${body}
}
${helpers}`;
type Callee = 'useInstruction' | 'note';
const lines = (count: number, line: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => line(i)).join('\n');

/** 40 conditionals around 10 hooks. */
const conditionals = (call: Callee) =>
  MODULE(
    lines(10, (i) => {
      const open = lines(4, (n) => `if (props.id.length > ${i * 4 + n}) {`);
      return `  ${open.replaceAll('\n', ' ')} ${call}('${i}'); ${'}'.repeat(4)}`;
    }),
  );

/** A generated body of 2,000 branches, or as many as it is told. */
const branches = (call: Callee) =>
  MODULE(lines(branchCount, (i) => `  if (props.id === '${i}') ${call}('${i}');`));

/** Hooks that call hooks, 60 deep. */
const chain = (call: Callee) => {
  const name = call === 'note' ? 'step' : 'useStep';
  const helpers = lines(
    60,
    (i) =>
      `function ${name}${i}(on: boolean) { if (on) ${i === 59 ? `${call}('end')` : `${name}${i + 1}(!on)`}; }`,
  );
  return MODULE(`  ${name}0(props.id === 'x');`, helpers);
};

const SHAPES = {
  '40 conditionals around 10 hooks': { agents: 10, text: conditionals },
  'a body of 2,000 branches': { agents: 1, text: branches },
  'a chain of 60 hooks': { agents: 10, text: chain },
};

async function cost(name: string, agents: number, text: string): Promise<number> {
  const root = join(folder, 'bodies', name);
  for (let i = 0; i < agents; i++) {
    const path = join(root, `src/agent-${i}.ts`);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text.replace('function Agent(', `function Agent${i}(`));
  }
  writeFileSync(join(root, 'package.json'), '{ "name": "bodies", "private": true, "type": "module" }');
  const { project } = await loadProject({ root });
  const compiler = await openCompiler(project);
  const before = process.cpuUsage();
  compiler.compile({ typing: 'none' });
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

const measured: Record<string, { ours: number; peer: number }[]> = {};
for (const [what, { agents, text }] of Object.entries(SHAPES)) {
  measured[what] = [];
  // The first one is still being compiled by the engine that runs it.
  for (let round = 0; round <= rounds; round++) {
    const pair = {
      ours: await cost(`${what}-${round}`, agents, text('useInstruction')),
      peer: await cost(`${what}-${round}-plain`, agents, text('note')),
    };
    if (round > 0) measured[what].push(pair);
  }
}
console.log(JSON.stringify(measured));
