import { FlueError } from '../../errors/flue-error.ts';

/** How SDKs say what POSIX has a code for, most particular first. */
const WORDINGS: readonly (readonly [code: string, pattern: RegExp])[] = [
  ['ENOTEMPTY', /not empty/i],
  ['ENOTDIR', /not a directory/i],
  ['EISDIR', /is a directory|on a directory/i],
  ['EEXIST', /already exists|file exists/i],
  ['ENOENT', /no such|not found|does not exist/i],
  ['EACCES', /permission|denied|not permitted|read-only|EPERM|EROFS/i],
];

const CODE = /\b(E[A-Z]{3,12})\b/;

/**
 * A failed file verb, said in one way whatever the SDK says: the POSIX code first, and the path (PTH-04). What is
 * Flue's own passes as it is.
 */
export function verbError(error: unknown, operation: string, path: string): unknown {
  if (FlueError.is(error)) return error;
  const text = error instanceof Error ? error.message : String(error);
  const code = codeOf(error, text);
  const said = text.startsWith(`${code}: `) ? text.slice(code.length + 2) : text;
  const named = said.includes(`'${path}'`) ? said : `${said}, ${operation} '${path}'`;
  return Object.assign(new Error(`${code}: ${named}`, { cause: error }), { code });
}

export function posixError(code: string, what: string, operation: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${what}, ${operation} '${path}'`), { code });
}

function codeOf(error: unknown, text: string): string {
  const given = (error as { code?: unknown } | null)?.code;
  const said = WORDINGS.find(([, pattern]) => pattern.test(text))?.[0];
  if (typeof given === 'string' && CODE.test(given)) return given === 'EPERM' ? 'EACCES' : given;
  return CODE.exec(text)?.[1] ?? said ?? 'EIO';
}
