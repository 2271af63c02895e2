/** Reasons to keep the process alive, any number of them, as one handle of the host. */
export interface SharedKeepAlive {
  /** Holds the process until the returned function is called. */
  hold(): () => void;
  /** The runtime has stopped: nothing holds the process any more. */
  end(): void;
}

export function shareKeepAlive(keepAlive: () => () => void): SharedKeepAlive {
  const reasons = new Set<object>();
  let release: (() => void) | undefined;
  let ended = false;

  const letGo = () => {
    release?.();
    release = undefined;
  };
  return {
    hold() {
      if (ended) return () => {};
      const reason = {};
      reasons.add(reason);
      release ??= keepAlive();
      return () => {
        if (reasons.delete(reason) && reasons.size === 0) letGo();
      };
    },
    end() {
      ended = true;
      letGo();
    },
  };
}
