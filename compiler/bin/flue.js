#!/usr/bin/env node
// Committed, so that an install of the unbuilt workspace links the command. Kept to syntax that an old Node parses.
import { existsSync } from 'node:fs';
import module from 'node:module';

const [major, minor] = process.versions.node.split('.').map(Number);
if (!process.versions.bun && (major < 20 || (major === 20 && minor < 19))) {
  console.error(`flue needs Node >= 20.19; this is Node ${process.versions.node}.`);
  process.exit(2);
}
const main = new URL('../dist/cli/main.js', import.meta.url);
if (!existsSync(main)) {
  console.error('flue is not built yet: run `npm run build` in the workspace.');
  process.exit(2);
}
// Half of a short check is the compilation of what it loads, TypeScript above all; Node 22 can keep that.
module.enableCompileCache?.();
const { run } = await import(main.href);
process.exitCode = await run(process.argv.slice(2));
