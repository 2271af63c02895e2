/** A submission that another process settles is never dropped here, so the oldest give way. */
const MOST = 1000;

/** The requests that brought the submissions of this process, while these are not settled; for observers (OBV-06). */
export function createHttpRequests() {
  const requests = new Map<string, Request>();
  return {
    keep(submissionId: string, request: Request): void {
      requests.set(submissionId, request);
      for (const oldest of requests.keys()) {
        if (requests.size <= MOST) break;
        requests.delete(oldest);
      }
    },
    of: (submissionId: string): Request | undefined => requests.get(submissionId),
    drop: (submissionId: string): void => void requests.delete(submissionId),
  };
}
