/**
 * Anything with a `fetch`: the shape of an application's default export (CHAN-01). On Node `env` holds the bindings of
 * the Hono adapter and `ctx` is `undefined`.
 */
export interface Fetchable {
  fetch(request: Request, env?: unknown, ctx?: unknown): Response | Promise<Response>;
}
