const tokens: ReadonlyMap<string, string> = new Map([
  ['Bearer demo-seven', 'cus-7'],
  ['Bearer demo-nine', 'cus-9'],
]);

/** The customer behind an `Authorization` header; `undefined` when nobody is. */
export function customerOfToken(authorization: string | undefined): string | undefined {
  return authorization === undefined ? undefined : tokens.get(authorization);
}
