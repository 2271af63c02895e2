import type { TypeScript } from '../host.ts';

/** A value that is made once for each TypeScript that a host brings: numbers of syntax kinds differ between versions. */
export function perTypeScript<T>(make: (api: TypeScript) => T): (api: TypeScript) => T {
  const made = new WeakMap<TypeScript, T>();
  return (api) => {
    const known = made.get(api) ?? make(api);
    made.set(api, known);
    return known;
  };
}
