const POSIX_CLASSES: Readonly<Record<string, string>> = {
  alnum: 'A-Za-z0-9',
  alpha: 'A-Za-z',
  blank: ' \\t',
  cntrl: '\\x00-\\x1f\\x7f',
  digit: '0-9',
  graph: '\\x21-\\x7e',
  lower: 'a-z',
  print: '\\x20-\\x7e',
  punct: '!-\\/:-@\\[-`{-~',
  space: '\\s',
  upper: 'A-Z',
  xdigit: 'A-Fa-f0-9',
};

export interface SearchPattern {
  readonly source: string;
  readonly flags: string;
}

/**
 * A pattern in the one dialect of every environment: an ECMAScript regular expression for one line, with the POSIX
 * classes that models write (TGR-04).
 *
 * @throws Error with the reason for a pattern that is none
 */
export function searchPattern(
  pattern: string,
  o: { readonly literal?: boolean | undefined; readonly ignoreCase?: boolean | undefined },
): SearchPattern {
  const source = o.literal ? pattern.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&') : withoutPosixClasses(pattern);
  const flags = o.ignoreCase ? 'i' : '';
  const reasons: string[] = [];
  for (const mode of [`${flags}u`, flags]) {
    try {
      new RegExp(source, mode);
      return { source, flags: mode };
    } catch (error) {
      reasons.push((error as Error).message);
    }
  }
  throw new Error(`The pattern is no regular expression: ${reasons.at(-1)}.`);
}

export function withoutPosixClasses(pattern: string): string {
  return pattern.replace(/\[:(\^?)(\w+):\]/g, (whole, negated: string, name: string) => {
    const members = POSIX_CLASSES[name];
    return members === undefined || negated ? whole : members;
  });
}
