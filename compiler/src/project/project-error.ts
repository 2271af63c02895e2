/** The work could not start or go on for a reason that the user can mend: a command prints it and exits with 2. */
export class ProjectError extends Error {
  override readonly name = 'ProjectError';
  /** relative to the project root */
  readonly path: string;

  constructor(path: string, reason: string, options?: ErrorOptions) {
    super(`${path}: ${reason}`, options);
    this.path = path;
  }
}
