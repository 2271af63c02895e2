/** The first and the last byte that a request asks for, both included. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

/**
 * The single range of a request (RFC 9110). `undefined`: the whole, which also answers several ranges, a form that is
 * none, and a range of another version (`If-Range`).
 */
export function requestedRange(
  request: Request,
  size: number,
  etag: string,
): ByteRange | 'unsatisfiable' | undefined {
  const match = /^bytes=(\d*)-(\d*)$/.exec(request.headers.get('range')?.trim() ?? '');
  const [, from = '', to = ''] = match ?? [];
  if (from === '' && to === '') return undefined;
  if ((request.headers.get('if-range') ?? etag) !== etag) return undefined;
  if (from !== '' && to !== '' && Number(to) < Number(from)) return undefined;
  const first = from === '' ? Math.max(0, size - Number(to)) : Number(from);
  const last = from === '' || to === '' ? size - 1 : Math.min(Number(to), size - 1);
  return first > last ? 'unsatisfiable' : { first, last };
}
