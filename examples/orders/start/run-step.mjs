import { spawn } from 'node:child_process';
import { dim, printBlock } from './print.mjs';

/** A step that ended the demonstration: says what happened, where, and what to do. */
export class StepFailed extends Error {
  constructor(what, where, remedy) {
    super(`${what}\n  where: ${where}\n  what to do: ${remedy}`);
    this.name = 'StepFailed';
  }
}

/** Runs one tool of the workspace and shows what it said. `quiet` is what to show when it said nothing. */
export async function runStep({ script, args, cwd, remedy, quiet = 'nothing to report' }) {
  const { output, code } = await runNode([script, ...args], cwd);
  if (output.trim()) printBlock(output);
  else if (code === 0) printBlock(dim(quiet));
  if (code !== 0)
    throw new StepFailed(`This step ended with exit code ${code}.`, `${script} ${args.join(' ')}`, remedy);
}

function runNode(args, cwd) {
  const env = { ...process.env, ...(process.stdout.isTTY && { FORCE_COLOR: '1' }) };
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    const collect = (chunk) => {
      output += chunk;
    };
    child.stdout.setEncoding('utf8').on('data', collect);
    child.stderr.setEncoding('utf8').on('data', collect);
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ output, code: code ?? signal }));
  });
}
