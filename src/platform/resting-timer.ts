/** A periodic timer that pauses while the page is hidden and catches up on return. */

/**
 * Runs `work` every `everyMs`; after a hidden or frozen phase at once, if a turn was missed.
 * Returns a function that stops it.
 */
export function whileSeen(everyMs: number, work: () => void): () => void {
  let timer: ReturnType<typeof setInterval> | undefined;
  let doneAt = Date.now();
  const turn = (): void => {
    doneAt = Date.now();
    work();
  };
  const pace = (): void => {
    clearInterval(timer);
    timer = undefined;
    if (document.visibilityState === 'hidden') return;
    // The clock was set back: run too.
    if (Math.abs(Date.now() - doneAt) >= everyMs) turn();
    timer = setInterval(turn, everyMs);
  };
  const stop = new AbortController();
  const { signal } = stop;
  document.addEventListener('visibilitychange', pace, { signal });
  document.addEventListener('resume', pace, { signal });
  addEventListener('pageshow', pace, { signal });
  pace();
  return () => {
    stop.abort();
    clearInterval(timer);
  };
}
