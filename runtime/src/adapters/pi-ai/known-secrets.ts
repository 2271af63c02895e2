import { Redactor } from './redactor.ts';

/** Short-lived tokens come and go; the oldest are forgotten first. */
const MOST = 256;

/** Every credential that was resolved so far, for texts that leave the process by another way than a model's (AUTH-05). */
export class KnownSecrets {
  readonly #secrets = new Set<string>();
  #redact = redaction(new Redactor([]));

  add(secrets: Iterable<string>): void {
    const before = this.#secrets.size;
    for (const secret of secrets) this.#secrets.add(secret);
    if (this.#secrets.size === before) return;
    for (const oldest of this.#secrets) {
      if (this.#secrets.size <= MOST) break;
      this.#secrets.delete(oldest);
    }
    this.#redact = redaction(new Redactor(this.#secrets));
  }

  /** Another function whenever there is more to take out. */
  get redact(): (text: string) => string {
    return this.#redact;
  }
}

function redaction(redactor: Redactor): (text: string) => string {
  return (text) => redactor.text(text);
}
