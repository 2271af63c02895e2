/** W3C trace context, version 00: lowercase hex, neither id all zeros (HTTP-11). Anything else counts as absent. */
export function validTraceparent(header: string | null): string | undefined {
  const match = /^00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$/.exec(header ?? '');
  if (!match || /^0+$/.test(match[1]!) || /^0+$/.test(match[2]!)) return undefined;
  return header ?? undefined;
}
