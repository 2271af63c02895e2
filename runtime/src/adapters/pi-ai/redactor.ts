const MASK = '[redacted]';

/** A shorter value would mask ordinary words (AUTH-05). */
const LEAST_LENGTH = 8;

/** Forms of well-known secrets, for error texts that quote a key which is not ours (RED-04). */
const SECRET_SHAPES =
  /\b(?:sk|pk|rk|xai|gsk|hf|ghp|gho|xox[abp])[-_][\w*-]{8,}|\bAIza[\w-]{20,}|\b(?:AKIA|ASIA)[A-Z0-9]{12,}|(?<=\bBearer\s+)[\w.~+/=-]{8,}/g;

/** Takes the resolved credentials of one request out of every string that leaves the model layer (AUTH-05). */
export class Redactor {
  readonly #secrets: readonly string[];

  constructor(secrets: Iterable<string>) {
    // Longest first: a key that starts with another one must not leave its rest behind.
    this.#secrets = [...new Set(secrets)]
      .filter((secret) => secret.length >= LEAST_LENGTH)
      .sort((a, b) => b.length - a.length);
  }

  text(value: string): string {
    return this.#secrets.reduce((text, secret) => text.replaceAll(secret, MASK), value);
  }

  /** For a provider's error text: known secret shapes too. */
  errorText(value: string): string {
    return this.text(value).replace(SECRET_SHAPES, MASK);
  }

  /** For text that arrives in pieces: a secret split over two of them is found (RCD-11). */
  stream(): RedactedStream {
    return new RedactedStream(this.#secrets, (value) => this.text(value));
  }
}

/** Holds back what may be the start of a secret until more text decides. */
export class RedactedStream {
  readonly #secrets: readonly string[];
  readonly #mask: (value: string) => string;
  #held = '';

  constructor(secrets: readonly string[], mask: (value: string) => string) {
    this.#secrets = secrets;
    this.#mask = mask;
  }

  push(delta: string): string {
    if (this.#secrets.length === 0) return delta;
    const text = this.#mask(this.#held + delta);
    const held = Math.max(...this.#secrets.map((secret) => startOfAtEnd(secret, text)));
    this.#held = text.slice(text.length - held);
    return text.slice(0, text.length - held);
  }

  flush(): string {
    const rest = this.#held;
    this.#held = '';
    return rest;
  }
}

/** How many characters at the end of the text are the start of the secret. */
function startOfAtEnd(secret: string, text: string): number {
  for (let length = Math.min(secret.length - 1, text.length); length > 0; length--) {
    if (text.endsWith(secret.slice(0, length))) return length;
  }
  return 0;
}
