const issued: ReadonlySet<string> = new Set(['GO-4711', 'GO-4712']);

export const approvals = {
  /** Whether an operator issued this code. */
  async verify(code: string): Promise<boolean> {
    return issued.has(code.trim());
  },
};
