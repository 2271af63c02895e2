import { hash } from 'node:crypto';

/** Raised when what is written in the frames means something else. */
const FORMAT = 1;
const HEADER = /^flue-cache (\d+) (\d+) ([\w-]+)\n/;
/** Longer than any header. */
const HEADER_BYTES = 80;

export function checksum(content: string | Uint8Array): string {
  return hash('sha256', content, 'base64url').slice(0, 22);
}

/** Content behind a line that tells its format, length and checksum (CACHE-05). */
export function framed(content: string | Uint8Array): Buffer {
  const bytes = Buffer.from(content as string);
  return Buffer.concat([Buffer.from(`flue-cache ${FORMAT} ${bytes.length} ${checksum(bytes)}\n`), bytes]);
}

/** What a frame at the start of the bytes holds, and what follows it; `undefined` for damage and for other formats. */
export function unframed(bytes: Buffer): { readonly content: Buffer; readonly rest: Buffer } | undefined {
  const [line, format, length, sum] = HEADER.exec(bytes.subarray(0, HEADER_BYTES).toString('latin1')) ?? [];
  if (line === undefined || Number(format) !== FORMAT) return undefined;
  const end = line.length + Number(length);
  const content = bytes.subarray(line.length, end);
  if (content.length !== Number(length) || checksum(content) !== sum) return undefined;
  return { content, rest: bytes.subarray(end) };
}
