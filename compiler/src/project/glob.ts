/** A glob over `/`-separated relative paths: `**`, `*`, `?`, `[...]` and `{a,b}`. A pattern without `/` at its end matches files. */
export function globMatcher(patterns: string | readonly string[]): (path: string) => boolean {
  const expressions = [patterns].flat().map((pattern) => new RegExp(`^${translate(pattern)}$`));
  return (path) => expressions.some((expression) => expression.test(path));
}

function translate(pattern: string): string {
  const source = pattern.replace(/^\.\//, '').replace(/\/$/, '/**');
  let out = '';
  let depth = 0;
  for (let at = 0; at < source.length; at++) {
    const char = source[at]!;
    if (source.startsWith('**/', at)) {
      out += '(?:[^/]+/)*';
      at += 2;
    } else if (source.startsWith('**', at)) {
      out += '.*';
      at += 1;
    } else if (char === '*') out += '[^/]*';
    else if (char === '?') out += '[^/]';
    else if (char === '[' && source.indexOf(']', at + 1) > 0) {
      const end = source.indexOf(']', at + 1);
      out += `[${source
        .slice(at + 1, end)
        .replace(/^!/, '^')
        .replaceAll('\\', '\\\\')}]`;
      at = end;
    } else if (char === '{') {
      depth++;
      out += '(?:';
    } else if (char === '}' && depth > 0) {
      depth--;
      out += ')';
    } else if (char === ',' && depth > 0) out += '|';
    else out += char.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  }
  return out + ')'.repeat(depth);
}
