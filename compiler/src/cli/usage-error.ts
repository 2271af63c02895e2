/** The command line itself is wrong: one message, a pointer to help, exit code 2 (CLI-04). */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
