/** A signal that ends with the form that asked for it: what comes late must not act any more. */
import { useCallback, useEffect, useRef } from 'react';

/** For an event of the form: the signal is aborted once the form has left the page. */
export function useLeftSignal(): () => AbortSignal {
  const shown = useRef<AbortController | null>(null);
  useEffect(() => {
    const here = new AbortController();
    shown.current = here;
    return () => {
      here.abort();
    };
  }, []);
  // Before it is on the page nothing can be pressed, and nothing may act.
  return useCallback(() => shown.current?.signal ?? AbortSignal.abort(), []);
}
