import { createHash } from 'node:crypto';
import { compareCodeUnits } from '@flue/runtime/internal';

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** A text's hash whatever its line ends are: other checkouts of one commit give one manifest (DET-05). */
export function sourceHash(text: string): string {
  return `sha256:${sha256(text.replace(/\r\n?/g, '\n'))}`;
}

/** Of everything that an agent's behaviour is read from: its files and the libraries that read them (DET-06). */
export function closureHash(
  files: Iterable<readonly [path: string, hash: string]>,
  versions: Readonly<Record<string, string>>,
): string {
  const lines = [
    ...[...files].map(([path, hash]) => `file ${path} ${hash}`),
    ...Object.entries(versions).map(([name, version]) => `package ${name} ${version}`),
  ];
  return `sha256:${sha256(lines.sort(compareCodeUnits).join('\n'))}`;
}
