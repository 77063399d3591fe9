/** Asks again until an answer is good. */

/**
 * How long a test waits for what must come. Patience costs a passing test nothing, and a busy
 * machine stalls for half a minute.
 */
export const PATIENCE_MS = 75_000;
const EVERY_MS = 150;

/**
 * The first answer that is `good`. A reading that fails is read again: the server may be on its way
 * back.
 */
export async function until<T>(
  read: () => Promise<T>,
  good: (value: T) => boolean,
  timeoutMs = PATIENCE_MS,
): Promise<T> {
  const end = Date.now() + timeoutMs;
  for (;;) {
    let seen: string;
    try {
      const value = await read();
      if (good(value)) return value;
      seen = JSON.stringify(value).slice(0, 600);
    } catch (error) {
      seen = String(error);
    }
    if (Date.now() > end) throw new Error(`Not in time; last seen: ${seen}`);
    await new Promise((resolve) => {
      setTimeout(resolve, EVERY_MS);
    });
  }
}
