/** What the braces of one pattern may come to: each of them is matched to every file. */
const MOST_ALTERNATIVES = 1000;

/**
 * Which files a glob pattern names. Without a `/` it is about names at any depth, with one about the path from `root`
 * (TGB-01).
 *
 * @throws Error for braces that stand for too many patterns
 */
export async function namePattern(pattern: string, root: string): Promise<(path: string) => boolean> {
  const { Minimatch } = await import('minimatch');
  const glob = new Minimatch(pattern.replace(/^\.\//, ''), {
    dot: true,
    nocomment: true,
    nonegate: true,
    braceExpandMax: MOST_ALTERNATIVES + 1,
  });
  if (glob.set.length > MOST_ALTERNATIVES) {
    throw new Error(
      `The braces of the glob stand for more than ${MOST_ALTERNATIVES} patterns. Use fewer of them.`,
    );
  }
  const below = root === '/' ? '/' : `${root}/`;
  if (!pattern.includes('/')) return (path) => glob.match(path.slice(path.lastIndexOf('/') + 1));
  if (pattern.startsWith('/')) return (path) => glob.match(path);
  return (path) => glob.match(path.slice(below.length));
}
