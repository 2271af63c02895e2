import * as v from 'valibot';
import { LIMITS } from '../../../contract/limits.ts';
import type { SessionEnv } from '../../../ports/sandbox.ts';
import { inFileOrder } from '../file-order.ts';
import type { SessionTool } from '../session-tool.ts';
import { defineSessionTool, pathArgument } from './define-session-tool.ts';

const WRITE = v.strictObject({
  path: pathArgument('Path of the file, absolute or relative to the working directory.'),
  content: v.pipe(v.string(), v.description('The whole content of the file.')),
});

/** `write`: a whole file (TWR-01). */
export function createWriteTool(env: SessionEnv): SessionTool {
  return defineSessionTool({
    name: 'write',
    label: 'Write',
    description: 'Writes a whole file, and creates it and the directories above it as needed.',
    input: WRITE,
    async run({ path, content }, signal) {
      const bytes = Buffer.byteLength(content);
      if (bytes > LIMITS.writtenBytes) {
        throw new Error(
          `The content has ${bytes} bytes; one call writes at most ${LIMITS.writtenBytes}. Nothing was written.`,
        );
      }
      return inFileOrder(env, path, signal, async () => {
        const created = !(await env.exists(path));
        await env.writeFile(path, content);
        const done = created ? 'Created' : 'Overwrote';
        return { text: `${done} ${path} (${bytes} bytes).`, details: { path, bytes, created } };
      });
    },
  });
}
