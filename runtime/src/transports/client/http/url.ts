/**
 * An absolute URL without its trailing slashes. In a browser a relative one resolves against the page's origin.
 *
 * @throws TypeError for an invalid URL, a query, a fragment, and a relative URL outside a browser (CLNT-02)
 */
export function parseBaseUrl(given: string, what: string): string {
  const { location } = globalThis as { location?: { readonly origin: string } };
  let url: URL;
  try {
    url = new URL(given, location?.origin);
  } catch {
    throw new TypeError(`${what} must be an absolute URL, not ${JSON.stringify(given)}.`);
  }
  if (url.search !== '' || url.hash !== '' || /[?#]/.test(given)) {
    throw new TypeError(`${what} must have no query and no fragment: ${JSON.stringify(given)}.`);
  }
  return url.href.replace(/\/+$/, '');
}

export function joinUrl(base: string, path: string): string {
  return `${base}/${path.replace(/^\/+|\/+$/g, '')}`.replace(/\/+$/, '');
}

/** The last segment of a URL, decoded: a conversation's id. */
export function lastSegment(url: string): string | undefined {
  try {
    return decodeURIComponent(new URL(url).pathname.split('/').at(-1) ?? '');
  } catch {
    return undefined;
  }
}
