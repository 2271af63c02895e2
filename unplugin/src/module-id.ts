/**
 * One spelling of a file for maps and comparisons (RULE-11): `/` between its parts and the drive in lower case, whatever
 * host or bundler names it. A Windows path is told by its drive, since elsewhere `\` may be part of a name.
 */
export function moduleId(path: string): string {
  if (!/^[A-Za-z]:[\\/]/.test(path) && !path.startsWith('\\\\')) return path;
  const slashes = path.replaceAll('\\', '/');
  return /^[A-Z]:/.test(slashes) ? slashes.charAt(0).toLowerCase() + slashes.slice(1) : slashes;
}
