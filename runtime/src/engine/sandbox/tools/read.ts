import * as v from 'valibot';
import type { SessionEnv } from '../../../ports/sandbox.ts';
import { isPackagedPath } from '../../skills/packaged-path.ts';
import { pageText, shownLines } from '../../skills/page-text.ts';
import type { SessionTool } from '../session-tool.ts';
import { defineSessionTool, isBinary, pathArgument } from './define-session-tool.ts';

const lineNumber = v.optional(v.pipe(v.number(), v.integer(), v.minValue(1)));
const READ = v.strictObject({
  path: pathArgument('Path of the file, absolute or relative to the working directory.'),
  offset: v.pipe(lineNumber, v.description('First line to show, from 1.')),
  limit: v.pipe(lineNumber, v.description('The most lines to show.')),
});

/** Entries that the error for a directory lists (TRD-06). */
const LISTED = 50;

/** `read`: a file's text, a page at a time (TRD-01). */
export function createReadTool(env: SessionEnv): SessionTool {
  return defineSessionTool({
    name: 'read',
    label: 'Read',
    description:
      'Reads a text file: at most 2000 lines or 50 KB at once. A longer file ends with a note that says where to read on.',
    input: READ,
    async run({ path, ...page }) {
      const text = await textOf(env, path);
      const { from, to, lines } = shownLines(text, page);
      // Where `cut` counts bytes it shows a little again, and misses nothing.
      const rest = (line: number, character: number) => `sed -n '${line}p' '${path}' | cut -c ${character}-`;
      return {
        text: pageText(text, page, rest),
        details: { path, lines, from, to, bytes: Buffer.byteLength(text), truncated: to < lines },
      };
    },
  });
}

async function textOf(env: SessionEnv, path: string): Promise<string> {
  // The skills that the application carries are text already, and no verb but this one sees them (TFAC-06).
  if (isPackagedPath(path)) return env.readFile(path);
  const found = await env.stat(path);
  if (found.isDirectory) throw new Error(await directoryText(env, path));
  const bytes = await env.readFileBuffer(path);
  if (isBinary(bytes)) throw new Error(`'${path}' is no text: ${binaryKind(bytes)}${bytes.length} bytes.`);
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}

async function directoryText(env: SessionEnv, path: string): Promise<string> {
  const names = await env.readdir(path);
  const rest = names.length - LISTED;
  const listed = names.slice(0, LISTED).join(', ') || '(nothing)';
  return `EISDIR: '${path}' is a directory. It holds: ${listed}${rest > 0 ? ` and ${rest} more` : ''}.`;
}

const KINDS: readonly (readonly [kind: string, start: readonly number[]])[] = [
  ['a PNG image, ', [0x89, 0x50, 0x4e, 0x47]],
  ['a JPEG image, ', [0xff, 0xd8, 0xff]],
  ['a GIF image, ', [0x47, 0x49, 0x46, 0x38]],
  ['a PDF document, ', [0x25, 0x50, 0x44, 0x46]],
  ['a ZIP archive, ', [0x50, 0x4b, 0x03, 0x04]],
  ['a gzip archive, ', [0x1f, 0x8b]],
  ['a program, ', [0x7f, 0x45, 0x4c, 0x46]],
];

function binaryKind(bytes: Uint8Array): string {
  return KINDS.find(([, start]) => start.every((byte, index) => bytes[index] === byte))?.[0] ?? '';
}
