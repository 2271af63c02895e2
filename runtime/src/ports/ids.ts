/** Where fresh identifiers come from: 26 characters of Crockford base 32, ascending within one process. */
export interface Ids {
  ulid(): string;
}
