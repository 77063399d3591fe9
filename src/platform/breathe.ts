/** Lets the browser through between two pieces of long work: a finger first, then a frame. */

interface Yielding {
  scheduler?: { yield?: () => Promise<void> };
}

/** Resolves in a task of its own. */
export function breathe(): Promise<void> {
  const { scheduler } = globalThis as Yielding;
  if (scheduler?.yield !== undefined) return scheduler.yield();
  return new Promise((resolve) => {
    setTimeout(resolve, 0);
  });
}
