import * as v from 'valibot';
import { LIMITS } from '../../../contract/limits.ts';
import type { SessionEnv, ShellResult } from '../../../ports/sandbox.ts';
import { plainText } from '../plain-text.ts';
import type { SessionTool } from '../session-tool.ts';
import { tailOf } from '../tail.ts';
import { defineSessionTool } from './define-session-tool.ts';

const BASH = v.strictObject({
  command: v.pipe(v.string(), v.nonEmpty(), v.description('The command line.')),
  timeout: v.optional(
    v.pipe(
      v.number(),
      v.gtValue(0),
      v.maxValue(LIMITS.commandSecondsMost),
      v.description(`Limit in seconds; default ${LIMITS.commandSeconds}.`),
    ),
  ),
});

/** `bash`: a command line (TBS-01). */
export function createBashTool(env: SessionEnv): SessionTool {
  return defineSessionTool({
    name: 'bash',
    label: 'Bash',
    description:
      'Runs a shell command and returns what it printed. Each call is a fresh shell that starts in the working ' +
      'directory: changes of directory, variables and functions do not carry over. Of long output the end is kept.',
    input: BASH,
    async run({ command, timeout = LIMITS.commandSeconds }, signal) {
      const started = performance.now();
      const timeoutMs = Math.ceil(timeout * 1000);
      const result = await env.exec(command, { timeoutMs, ...(signal && { signal }) });
      const durationMs = Math.round(performance.now() - started);
      const { text, outputPath, truncated } = await outputText(env, result);
      // A command may end with this code by itself; timers may be a millisecond early.
      const timedOut = result.exitCode === 124 && durationMs + 1 >= timeoutMs;
      const code = result.exitCode === 0 ? [] : [`[exit code ${result.exitCode}]`];
      return {
        text: [text, ...code].join('\n'),
        details: {
          command,
          exitCode: result.exitCode,
          durationMs,
          timedOut,
          truncated,
          ...(outputPath !== undefined && { outputPath }),
        },
      };
    },
  });
}

interface Output {
  readonly text: string;
  readonly truncated: boolean;
  readonly outputPath?: string;
}

/** The end of what was printed, with a first line about what is missing and where the whole of it is (TBS-05). */
async function outputText(env: SessionEnv, { stdout, stderr }: ShellResult): Promise<Output> {
  const whole = [stdout, stderr].map(plainText).filter(Boolean).map(withoutLastBreak).join('\n');
  if (whole === '') return { text: '(no output)', truncated: false };
  const { text, omittedLines, omittedBytes } = tailOf(whole, LIMITS.pageLines, LIMITS.pageBytes);
  if (omittedBytes === 0) return { text, truncated: false };
  const outputPath = await saved(env, whole);
  const where = outputPath === undefined ? '' : `; the whole output is in ${outputPath}`;
  const head = `[${omittedLines} lines (${omittedBytes} bytes) before this are left out${where}]`;
  return { text: `${head}\n${text}`, truncated: true, ...(outputPath !== undefined && { outputPath }) };
}

function withoutLastBreak(text: string): string {
  return text.replace(/\n$/, '');
}

async function saved(env: SessionEnv, text: string): Promise<string | undefined> {
  const path = `/tmp/flue-output-${globalThis.crypto.randomUUID().slice(0, 8)}.txt`;
  try {
    await env.writeFile(path, text);
    return path;
  } catch {
    return undefined; // the model sees the end of it all the same
  }
}
