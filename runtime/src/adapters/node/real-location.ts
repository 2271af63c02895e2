import { readlink, realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';

/** As many links as Linux follows. */
const MOST_LINKS = 40;

/**
 * Where a path really leads, links resolved. Of what is not there yet, those of its nearest parent that is; a link to
 * what is not there yet counts by where it points.
 */
export async function realLocation(path: string, links = MOST_LINKS): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    const parent = dirname(path);
    if (parent === path) return path;
    const target = links > 0 ? await readlink(path).catch(() => undefined) : undefined;
    if (target !== undefined) return realLocation(resolve(await realLocation(parent), target), links - 1);
    return join(await realLocation(parent, links), basename(path));
  }
}
