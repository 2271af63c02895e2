const KNOWN: Record<string, readonly string[]> = {
  user: ['kind', 'body', 'attachments'],
  signal: ['kind', 'type', 'body', 'attributes', 'tagName'],
};

/** The properties that an accepted message had and a delivery has not (POST-03). */
export function ignoredFields(message: Record<string, unknown>): string[] {
  const known = KNOWN[String(message.kind)] ?? [];
  return Object.keys(message).filter((field) => !known.includes(field));
}

/** In development a misspelled field is worth a line; names are escaped, since they are the caller's (RED-06). */
export function warnOfIgnored(pathname: string, fields: readonly string[]): void {
  console.warn(`[flue] warn ${pathname}: ignored unknown fields of the message: ${JSON.stringify(fields)}`);
}
