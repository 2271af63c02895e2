/** Where the skills that an application carries can be read from (SKILL-22). */
export const PACKAGED_ROOT = '/.flue/packaged-skills/';

export function isPackagedPath(path: string): boolean {
  return path.startsWith(PACKAGED_ROOT);
}
