/**
 * Which files a glob pattern names. Without a `/` it is about names at any depth, with one about the path from `root`
 * (TGB-01).
 */
export async function namePattern(pattern: string, root: string): Promise<(path: string) => boolean> {
  const { Minimatch } = await import('minimatch');
  const glob = new Minimatch(pattern.replace(/^\.\//, ''), { dot: true, nocomment: true, nonegate: true });
  const below = root === '/' ? '/' : `${root}/`;
  if (!pattern.includes('/')) return (path) => glob.match(path.slice(path.lastIndexOf('/') + 1));
  if (pattern.startsWith('/')) return (path) => glob.match(path);
  return (path) => glob.match(path.slice(below.length));
}
