import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { writeAgentProject } from '../support/agent-project.ts';
import { withFolder } from '../support/folder.ts';
import { compare, type Measurement, timed } from '../support/measurement.ts';
import { openProbe } from '../support/probe.ts';

const run = promisify(execFile);
const flue = join(
  dirname(createRequire(import.meta.url).resolve('@flue/compiler/package.json')),
  'bin/flue.js',
);

/** `flue check` as a process, next to a process that parses the same modules and visits every node. */
export const check: Measurement = {
  name: 'check',
  run: ({ long }) =>
    withFolder(async (folder) => {
      const modules = long ? 1000 : 100;
      const project = join(folder, 'project');
      writeAgentProject(project, { agents: modules });
      const parse = await openProbe(new URL('../probes/parse.ts', import.meta.url), folder);
      const sides = {
        peer: () => timed(() => parse(project)),
        ours: () => timed(() => run(process.execPath, [flue, 'check', '--cwd', project])),
      };
      const described = { unit: 'ms', beside: 'TypeScript: parse and walk' } as const;
      return [
        await compare(
          { ...described, what: `flue check, ${modules} agent modules, cold`, target: '<= 1.3 (stretch)' },
          {
            ...sides,
            ours: () => {
              rmSync(join(project, '.flue'), { recursive: true, force: true });
              return sides.ours();
            },
          },
        ),
        await compare(
          { ...described, what: `flue check, ${modules} modules, nothing changed`, target: '< 600 ms' },
          sides,
        ),
      ];
    }),
};
