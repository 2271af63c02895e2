import * as v from 'valibot';
import { LIMITS } from '../../../contract/limits.ts';
import type { SessionEnv } from '../../../ports/sandbox.ts';
import { inFileOrder } from '../file-order.ts';
import type { SessionTool } from '../session-tool.ts';
import { defineSessionTool, isBinary, pathArgument, type ToolAnswer } from './define-session-tool.ts';

const EDIT = v.strictObject({
  path: pathArgument('Path of the file, absolute or relative to the working directory.'),
  oldText: v.pipe(
    v.string(),
    v.nonEmpty(),
    v.description('The text to replace, exactly as it stands in the file.'),
  ),
  newText: v.pipe(v.string(), v.description('What stands there afterwards.')),
  replaceAll: v.optional(
    v.pipe(v.boolean(), v.description('Replace every occurrence; else there must be exactly one.')),
  ),
});

type Edit = v.InferOutput<typeof EDIT>;

/** `edit`: replaces an exact text (TED-01). */
export function createEditTool(env: SessionEnv): SessionTool {
  return defineSessionTool({
    name: 'edit',
    label: 'Edit',
    description:
      'Replaces a text in a file by another one. The old text must be given exactly, with its whitespace, and must ' +
      'occur once unless every occurrence is to be replaced.',
    input: EDIT,
    run: (edit, signal) => inFileOrder(env, edit.path, signal, () => applyEdit(env, edit)),
  });
}

async function applyEdit(env: SessionEnv, edit: Edit): Promise<ToolAnswer> {
  const { path, replaceAll = false } = edit;
  const bytes = await env.readFileBuffer(path);
  if (isBinary(bytes)) throw new Error(`'${path}' is no text, so nothing in it can be replaced.`);
  const before = textOf(path, bytes);
  const { oldText, newText } = inLineEndsOf(before, edit);
  if (oldText === newText)
    throw new Error('The old and the new text are equal: there is nothing to replace.');
  const found = before.split(oldText).length - 1;
  if (found === 0) throw new Error(notFound(path, before, oldText));
  if (found > 1 && !replaceAll) throw new Error(ambiguous(path, before, oldText, found));
  const after = before.split(oldText).join(newText);
  await env.writeFile(path, after);
  const firstLine = lineOf(before, before.indexOf(oldText));
  const times = found === 1 ? '1 occurrence' : `${found} occurrences`;
  return {
    text: `Replaced ${times} in ${path}.\n${quote(after, firstLine, newText)}`,
    details: { path, replacements: found, firstLine },
  };
}

/** Another encoding would lose every byte that UTF-8 does not know, far from what is replaced. */
function textOf(path: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { ignoreBOM: true, fatal: true }).decode(bytes);
  } catch {
    throw new Error(`'${path}' is not encoded as UTF-8, so replacing text in it would damage it.`);
  }
}

/** Models write LF; in a file with CRLF that matches, and stays, CRLF (TED-04). Of mixed line ends, LF matches LF. */
function inLineEndsOf(file: string, { oldText, newText }: Edit): Pick<Edit, 'oldText' | 'newText'> {
  if (!file.includes('\r\n') || oldText.includes('\r\n')) return { oldText, newText };
  const crlf = (text: string) => text.replace(/\r?\n/g, '\r\n');
  if (!file.includes(crlf(oldText))) return { oldText, newText };
  return { oldText: crlf(oldText), newText: crlf(newText) };
}

function lineOf(text: string, index: number): number {
  return text.slice(0, index).split('\n').length;
}

/** TED-02: the nearest place is the one that agrees when whitespace does not count. */
function notFound(path: string, text: string, oldText: string): string {
  const bare = (line: string) => line.replace(/\s+/g, '');
  const wanted = bare(oldText.split('\n').find((line) => line.trim() !== '') ?? '');
  const lines = text.split('\n');
  const near = wanted === '' ? -1 : lines.findIndex((line) => bare(line) === wanted);
  const hint =
    near === -1
      ? ''
      : ` Line ${near + 1} matches when whitespace is ignored: ${JSON.stringify(lines[near])}.`;
  return (
    `The old text does not occur in ${path}. It must match exactly, with its whitespace and indentation.${hint} ` +
    'Nothing was written.'
  );
}

const SHOWN_PLACES = 5;

function ambiguous(path: string, text: string, oldText: string, found: number): string {
  const lines: number[] = [];
  for (let at = text.indexOf(oldText); at !== -1 && lines.length < SHOWN_PLACES; ) {
    lines.push(lineOf(text, at));
    at = text.indexOf(oldText, at + oldText.length);
  }
  const rest = found > SHOWN_PLACES ? ' and further on' : '';
  return (
    `The old text occurs ${found} times in ${path}, at the lines ${lines.join(', ')}${rest}. Give more of what stands ` +
    'around it, or set replaceAll. Nothing was written.'
  );
}

const AROUND = 2;

/** The first changed region with the lines around it, numbered (TED-05). */
function quote(text: string, firstLine: number, newText: string): string {
  const lines = text.split('\n');
  const from = Math.max(1, firstLine - AROUND);
  const end = Math.min(lines.length, firstLine + newText.split('\n').length - 1 + AROUND);
  const to = Math.min(end, from + LIMITS.quotedLines - 1);
  const numbered = lines
    .slice(from - 1, to)
    .map((line, index) => `${from + index}: ${line.replace(/\r$/, '')}`);
  return [...numbered, ...(to < end ? [`[${end - to} more lines]`] : [])].join('\n');
}
