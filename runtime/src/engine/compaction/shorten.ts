/** The first and last `kept` characters of a long text, and how many were left out between them. */
export function shorten(text: string, kept: number): string {
  const omitted = text.length - 2 * kept;
  if (omitted <= 0) return text;
  return `${head(text, kept)}\n[${omitted} characters omitted]\n${tail(text, kept)}`;
}

/** Neither half of a character outside the basic plane is left alone at a cut. */
function head(text: string, length: number): string {
  return isHighHalf(text.charCodeAt(length - 1)) ? text.slice(0, length - 1) : text.slice(0, length);
}

function tail(text: string, length: number): string {
  const rest = text.slice(text.length - length);
  return isLowHalf(rest.charCodeAt(0)) ? rest.slice(1) : rest;
}

function isHighHalf(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

function isLowHalf(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}
