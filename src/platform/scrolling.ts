/** Whether the page, or a part of it, is being scrolled: nobody reads a figure that moves. */

/** A finger or a wheel tells of each frame; after this long without a word it rests, ms. */
const RESTS_AFTER_MS = 150;

let scrolledAt = -Infinity;
let isListening = false;

/** Listens from the first question on. */
export function isScrolling(): boolean {
  if (!isListening && typeof document !== 'undefined') {
    isListening = true;
    document.addEventListener(
      'scroll',
      () => {
        scrolledAt = performance.now();
      },
      { capture: true, passive: true },
    );
  }
  return performance.now() - scrolledAt < RESTS_AFTER_MS;
}
