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

/** For what is there and does not open: leaving it out would hide the agents in it. */
export function unreadable(path: string, cause: unknown): ProjectError {
  const { code = 'unknown reason' } = cause as NodeJS.ErrnoException;
  return new ProjectError(path, `cannot be read (${code}).`, { cause });
}
